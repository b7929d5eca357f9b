import { useState } from 'react';
import type { Change, Effect, Logged } from '../../api/admin/operations';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatSize } from '../../shared/format';
import { Button, Time } from '../../shared/ui';
import styles from '../ops/ops.module.css';
import { Table } from '../ops/Table';

const step = 50;

type Row = Logged & Partial<Change>;

/** EffectTable tells which of the last decisions rules would make otherwise; on wish also those that stay the same. */
export function EffectTable({ effect }: { effect: Effect }) {
  const t = useT();
  const [only, setOnly] = useState(true);
  const [shown, setShown] = useState(step);
  const changed = effect.changes.length;
  const rows: Row[] = only
    ? effect.changes
    : [...effect.changes, ...(effect.same ?? [])].sort((a, b) => b.timestamp.localeCompare(a.timestamp));
  return (
    <div className={styles.part}>
      <p role="status">
        <strong className={changed > 0 ? styles.warn : styles.good}>{sentenceOf(effect, t)}</strong>{' '}
        {effect.skipped > 0 && (
          <span className={styles.muted}>
            {t('ops.policies.effect.skipped', { smart_count: effect.skipped })}
          </span>
        )}
      </p>
      {effect.asked > 0 && (
        <label>
          <input
            type="checkbox"
            checked={only}
            onChange={(event) => {
              setOnly(event.target.checked);
              setShown(step);
            }}
          />{' '}
          {t('ops.policies.effect.only')}
        </label>
      )}
      {rows.length > 0 && (
        <Table
          label={t('ops.policies.effect.title')}
          rows={rows.slice(0, shown)}
          keyOf={(row) => row.decision_id}
          columns={[
            {
              label: t('ops.policies.effect.before'),
              render: (row) => <Verdict allow={row.before} codes={row.codes} />,
            },
            { label: t('ops.policies.effect.now'), render: (row) => <Now row={row} /> },
            { label: t('ops.policies.caller'), render: (row) => row.name || row.type },
            { label: t('ops.policies.action'), render: (row) => <code>{row.action}</code> },
            { label: t('ops.policies.path'), long: true, render: (row) => row.path },
            { label: t('ops.time'), render: (row) => <Time value={row.timestamp} /> },
          ]}
        />
      )}
      {rows.length > shown && (
        <div>
          <Button onClick={() => setShown(shown + step)}>{t('ops.more')}</Button>
        </div>
      )}
    </div>
  );
}

function sentenceOf({ asked, changes }: Effect, t: ReturnType<typeof useT>) {
  if (asked === 0) return t('ops.policies.effect.nothing');
  if (changes.length === 0) return t('ops.policies.effect.none', { smart_count: asked });
  return t('ops.policies.effect.some', { changed: changes.length, smart_count: asked });
}

function Verdict({ allow, codes }: { allow: boolean; codes: readonly string[] }) {
  const t = useT();
  if (allow) return <span className={styles.good}>{t('ops.policies.allowed')}</span>;
  return (
    <span>
      <span className={styles.bad}>{t('ops.policies.refused')}</span>
      {codes.length > 0 && <code className={styles.more}>{codes.join(', ')}</code>}
    </span>
  );
}

function Now({ row }: { row: Row }) {
  const t = useT();
  const language = useLanguage();
  if (row.now === undefined) return <span className={styles.muted}>{t('ops.policies.effect.same')}</span>;
  if (row.failed)
    return (
      <span>
        <span className={styles.bad}>{t('ops.policies.failed')}</span>
        <span className={styles.more}>{row.failed}</span>
      </span>
    );
  const amount = (name: string, value: number) =>
    value === 0
      ? t('ops.policies.effect.noLimit')
      : name === 'max_size' || name.startsWith('quota_bytes')
        ? formatSize(value, language)
        : formatNumber(value, language);
  return (
    <span>
      <Verdict allow={row.now} codes={row.after ?? []} />
      {row.limits?.map(({ name, before, now }) => (
        <span key={name} className={styles.more}>
          <code>{name}</code> {amount(name, before)} → {amount(name, now)}
        </span>
      ))}
    </span>
  );
}
