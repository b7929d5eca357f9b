import { Download, Search } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { decisions, fetchFile, type Decision } from '../../api/admin/operations';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { saveBlob } from '../../shared/saveBlob';
import { Button, SelectField, TextField, Time } from '../../shared/ui';
import { decisionQuery } from '../data/queries';
import { Code } from '../ops/Code';
import { Feed } from '../ops/Feed';
import styles from '../ops/ops.module.css';
import { Table } from '../ops/Table';
import { useAct } from '../useAct';
import { useFeed } from '../ops/useFeed';

interface DecisionsProps {
  /** id of the one decision to show; "" shows the log. */
  id: string;
  onFind: (id: string) => void;
  /** onTry opens a decision in the playground. */
  onTry: (decision: Decision) => void;
}

/** Decisions is the log of decisions; a refusal is found by the id it carried. */
export function Decisions({ id, onFind, onTry }: DecisionsProps) {
  const t = useT();
  const { act } = useAct();
  const [filter, setFilter] = useState({ outcome: 'deny', action: '' });
  const query = { outcome: filter.outcome || undefined, action: filter.action.trim() || undefined };
  const feed = useFeed({ name: 'decisions', load: decisions, query });

  const found = useReading({ ...decisionQuery(id), enabled: id !== '' });

  function find(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onFind(String(new FormData(event.currentTarget).get('id') ?? '').trim());
  }

  const save = async () =>
    saveBlob(await fetchFile('GET', '/admin/decisions/export', query), 'pasteport-decisions.jsonl');

  return (
    <>
      <form className={styles.row} onSubmit={find}>
        <TextField
          key={id}
          name="id"
          defaultValue={id}
          label={t('ops.policies.decisionId')}
          autoCapitalize="characters"
          spellCheck={false}
        />
        <Button type="submit" icon={<Search size={18} />}>
          {t('ops.policies.find')}
        </Button>
        {id && <Button onClick={() => onFind('')}>{t('ops.policies.wholeLog')}</Button>}
      </form>
      {id && found.error && <ErrorPanel error={found.error} onRetry={found.retry} />}
      {id && found.data && <Lines rows={[found.data]} onTry={onTry} />}
      {!id && (
        <>
          <div className={styles.row}>
            <SelectField
              label={t('ops.policies.outcome')}
              value={filter.outcome}
              onChange={(event) => setFilter({ ...filter, outcome: event.target.value })}
              choices={[
                { value: '', label: t('ops.all') },
                { value: 'deny', label: t('ops.policies.refused') },
                { value: 'allow', label: t('ops.policies.allowed') },
                { value: 'error', label: t('ops.policies.failed') },
              ]}
            />
            <TextField
              label={t('ops.policies.action')}
              value={filter.action}
              onChange={(event) => setFilter({ ...filter, action: event.target.value })}
            />
            <Button icon={<Download size={18} />} onClick={() => act(save)}>
              {t('ops.export')}
            </Button>
          </div>
          <Feed
            feed={feed}
            empty={{ title: t('ops.policies.noDecisions'), body: t('ops.policies.noDecisionsBody') }}
          >
            {(rows) => <Lines rows={rows} onTry={onTry} />}
          </Feed>
        </>
      )}
    </>
  );
}

function Lines({ rows, onTry }: { rows: readonly Decision[]; onTry: (decision: Decision) => void }) {
  const t = useT();
  return (
    <Table
      label={t('ops.policies.log')}
      rows={rows}
      keyOf={(row) => row.decision_id}
      columns={[
        { label: t('ops.time'), render: (row) => <Time value={row.timestamp} /> },
        { label: t('ops.policies.decisionId'), long: true, render: (row) => <code>{row.decision_id}</code> },
        { label: t('ops.policies.caller'), render: (row) => row.name || row.type },
        { label: t('ops.policies.action'), render: (row) => <code>{row.action}</code> },
        { label: t('ops.policies.path'), long: true, render: (row) => row.path },
        {
          label: t('ops.policies.outcome'),
          render: (row) => (
            <span className={row.allow ? styles.good : styles.bad}>
              {row.allow ? t('ops.policies.allowed') : row.codes.join(', ') || row.failed}
            </span>
          ),
        },
        {
          label: t('ops.policies.try'),
          render: (row) =>
            !row.codes.some((code) => code.startsWith('server:')) &&
            row.input !== null && (
              <Button
                aria-label={t('ops.policies.tryThis', { id: row.decision_id })}
                onClick={() => onTry(row)}
              >
                {t('ops.policies.tryOne')}
              </Button>
            ),
        },
        {
          label: t('ops.details'),
          render: (row) => (
            <details>
              <summary>{t('ops.show')}</summary>
              <Code label={t('ops.details')}>{JSON.stringify(row.input, null, 1)}</Code>
            </details>
          ),
        },
      ]}
    />
  );
}
