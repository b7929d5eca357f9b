import { CircleAlert, FileDown, ShieldCheck } from 'lucide-react';
import { useNotify } from 'react-admin';
import { fetchFile, verifyAudit } from '../../api/admin/operations';
import { useLanguage, useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { saveBlob } from '../../shared/saveBlob';
import { Button } from '../../shared/ui';
import { channelNamesQuery, requestNamesQuery, sourcesQuery } from '../data/queries';
import type { Entry } from '../data/rest';
import type { Column } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { Code } from '../ops/Code';
import styles from '../ops/ops.module.css';
import { Link } from '../router';
import { Facts } from '../share/Facts';
import { useAct } from '../useAct';
import { inWords, sentence } from './sentence';

/** nouns are what the log can be narrowed down to. */
const nouns = [
  'session',
  'account',
  'key',
  'storage',
  'mount',
  'setting',
  'policy',
  'paste',
  'file',
  'fs',
  'share',
  'request',
  'backup',
] as const;

/** Audit shows who did what (§7.11). */
export default function Audit() {
  const t = useT();
  const { data: sources } = useReading(sourcesQuery);
  const { data: requests = [] } = useReading(requestNamesQuery);
  const { data: channels = [] } = useReading(channelNamesQuery);
  const { act } = useAct();
  const notify = useNotify();
  const speech = { t, language: useLanguage(), known: sources && { ...sources, requests, channels } };

  const save = async () => saveBlob(await fetchFile('GET', '/admin/audit/export'), 'pasteport-audit.jsonl');

  const verify = () =>
    act(verifyAudit, (proofs) => {
      const broken = proofs.find((proof) => !proof.ok);
      const count = proofs.reduce((sum, proof) => sum + proof.entries, 0);
      if (!broken) return t('ops.audit.whole', { count });
      const { chain, missing, broken: at } = broken;
      notify(t(`ops.audit.${missing || 'broken'}`, { chain, at }), { type: 'error' });
      return undefined;
    });

  const columns: Column<Entry>[] = [
    { source: 'timestamp', label: t('ops.time'), sortable: true, as: 'time' },
    {
      source: 'what',
      label: t('ops.audit.what'),
      title: true,
      csv: (row) => inWords(row, speech),
      render: (row) => (
        <>
          {row.outcome === 'failed' && <CircleAlert className={styles.alert} size={16} />}
          {sentence(row, speech).map((piece, at) =>
            typeof piece === 'string' ? (
              piece
            ) : piece.to ? (
              <Link key={at} to={piece.to}>
                {piece.text}
              </Link>
            ) : (
              <strong key={at}>{piece.text}</strong>
            ),
          )}
        </>
      ),
    },
    { source: 'client_ip', label: t('ops.address') },
    {
      source: 'details',
      label: t('ops.details'),
      csv: (row) => (row.details ? JSON.stringify(row.details) : ''),
      render: (row) => (
        <details className={styles.details}>
          <summary>{t('ops.show')}</summary>
          <Facts
            of={(['action', 'code', 'name', 'target', 'request_id'] as const).map((source) => [
              t(`ops.audit.columns.${source}`),
              row[source] && <code>{row[source]}</code>,
            ])}
          />
          {row.details !== null && (
            <Code label={t('ops.audit.values')}>{JSON.stringify(row.details, null, 1)}</Code>
          )}
        </details>
      ),
    },
    ...(['action', 'name', 'target', 'outcome', 'code'] as const).map((source): Column<Entry> => ({
      source,
      label: t(`ops.audit.columns.${source}`),
      hidden: true,
      csv: (row) => row[source],
      render: (row) => <code>{row[source]}</code>,
    })),
  ];

  return (
    <PanelList<Entry>
      words="ops.audit"
      columns={columns}
      nameOf={(row) => inWords(row, speech)}
      sort={{ field: 'timestamp', order: 'DESC' }}
      filters={[
        {
          name: 'action',
          label: t('ops.audit.about'),
          choices: nouns.map((noun) => ({ value: `${noun}.`, label: t(`ops.audit.nouns.${noun}`) })),
        },
        {
          name: 'outcome',
          label: t('ops.audit.outcome'),
          choices: [
            { value: 'done', label: t('ops.audit.done') },
            { value: 'failed', label: t('ops.audit.failed') },
          ],
        },
      ]}
      tools={
        <>
          <Button variant="quiet" icon={<FileDown size={18} />} onClick={() => act(save)}>
            {t('ops.audit.export')}
          </Button>
          <Button icon={<ShieldCheck size={18} />} onClick={verify}>
            {t('ops.audit.verify')}
          </Button>
        </>
      }
    />
  );
}
