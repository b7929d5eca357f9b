import { useState } from 'react';
import { type Revision, type Rules } from '../../api/admin/operations';
import { useT } from '../../i18n';
import { diffLines } from '../../shared/editor/diff';
import { useReading } from '../../shared/query/useReading';
import { SelectField } from '../../shared/ui';
import { comparisonQuery } from '../data/queries';
import { Loaded } from '../ops/Loaded';
import styles from '../ops/ops.module.css';

/** Compare shows line by line in which files two of at least two revisions differ; the newest comes first. */
export function Compare({ revisions }: { revisions: readonly Revision[] }) {
  const t = useT();
  const newest = [...revisions].sort((a, b) => b.number - a.number);
  const [chosen, setChosen] = useState<{ from?: string; to?: string }>({});
  const from = chosen.from ?? newest[1]?.id ?? '';
  const to = chosen.to ?? newest[0]?.id ?? '';
  const compared = useReading(comparisonQuery(from, to));
  const choices = newest.map((one) => ({
    value: one.id,
    label: t('ops.policies.revisionOf', { number: one.number, note: one.note }),
  }));
  return (
    <section className={styles.panel} aria-label={t('ops.policies.compare')}>
      <h2>{t('ops.policies.compare')}</h2>
      <div className={styles.row}>
        <SelectField
          label={t('ops.policies.compareFrom')}
          value={from}
          choices={choices}
          onChange={(event) => setChosen({ ...chosen, from: event.target.value })}
        />
        <SelectField
          label={t('ops.policies.compareTo')}
          value={to}
          choices={choices}
          onChange={(event) => setChosen({ ...chosen, to: event.target.value })}
        />
      </div>
      <Loaded of={compared} lines={4}>
        {(value) => <Changes {...value} />}
      </Loaded>
    </section>
  );
}

function Changes({ before, after }: { before: Rules; after: Rules }) {
  const t = useT();
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changed = names.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return <p role="status">{t('ops.policies.same')}</p>;
  return changed.map((name) => (
    <div key={name}>
      <h3>{name}</h3>
      <pre
        className={styles.code}
        tabIndex={0}
        role="region"
        aria-label={t('ops.policies.changesIn', { name })}
      >
        {diffLines(before[name] ?? '', after[name] ?? '').map((line, index) =>
          line.in === 'both' ? (
            <span key={index}>{`  ${line.text}\n`}</span>
          ) : line.in === 'mine' ? (
            <ins key={index}>{`+ ${line.text}\n`}</ins>
          ) : (
            <del key={index}>{`- ${line.text}\n`}</del>
          ),
        )}
      </pre>
    </div>
  ));
}
