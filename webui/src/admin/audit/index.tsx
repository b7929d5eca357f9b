import { FileDown, ScrollText, ShieldCheck } from 'lucide-react';
import { fetchFile, verifyAudit } from '../../api/admin/operations';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { saveBlob } from '../../shared/saveBlob';
import { Button, Time, toast } from '../../shared/ui';
import type { Entry } from '../data/rest';
import type { Column } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { Code } from '../ops/Code';
import styles from '../ops/ops.module.css';

/** Audit shows who did what (§7.11). */
export default function Audit() {
  const t = useT();

  async function save() {
    try {
      saveBlob(await fetchFile('GET', '/admin/audit/export'), 'pasteport-audit.jsonl');
    } catch (error) {
      toast.error(errorText(error, t));
    }
  }

  async function verify() {
    try {
      const proofs = await verifyAudit();
      const broken = proofs.find((proof) => !proof.ok);
      const count = proofs.reduce((sum, proof) => sum + proof.entries, 0);
      if (!broken) toast.success(t('ops.audit.whole', { count }));
      else
        toast.error(t(`ops.audit.${broken.missing || 'broken'}`, { chain: broken.chain, at: broken.broken }));
    } catch (error) {
      toast.error(errorText(error, t));
    }
  }

  const outcomeOf = (row: Entry) =>
    row.outcome === 'done' ? t('ops.audit.done') : `${t('ops.audit.failed')} ${row.code}`;
  const columns: Column<Entry>[] = [
    {
      source: 'timestamp',
      label: t('ops.time'),
      sortable: true,
      csv: (row) => row.timestamp,
      render: (row) => <Time value={row.timestamp} />,
    },
    {
      source: 'name',
      label: t('ops.audit.actor'),
      csv: (row) => row.name || row.type,
      render: (row) => row.name || row.type,
    },
    {
      source: 'action',
      label: t('ops.audit.action'),
      csv: (row) => row.action,
      render: (row) => <code>{row.action}</code>,
    },
    { source: 'target', label: t('ops.audit.target'), csv: (row) => row.target, render: (row) => row.target },
    {
      source: 'outcome',
      label: t('ops.audit.outcome'),
      csv: outcomeOf,
      render: (row) => (
        <span className={row.outcome === 'done' ? styles.good : styles.bad}>{outcomeOf(row)}</span>
      ),
    },
    {
      source: 'client_ip',
      label: t('ops.address'),
      csv: (row) => row.client_ip,
      render: (row) => row.client_ip,
    },
    {
      source: 'details',
      label: t('ops.details'),
      csv: (row) => (row.details ? JSON.stringify(row.details) : ''),
      render: (row) =>
        row.details ? (
          <details>
            <summary>{t('ops.show')}</summary>
            <Code label={t('ops.details')}>{JSON.stringify(row.details, null, 1)}</Code>
          </details>
        ) : null,
    },
  ];

  return (
    <PanelList<Entry>
      title={t('admin.pages.audit')}
      intro={t('ops.audit.intro')}
      columns={columns}
      nameOf={(row) => String(row.n)}
      sort={{ field: 'timestamp', order: 'DESC' }}
      searchLabel={t('ops.audit.search')}
      exportName="audit"
      filters={[
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
          <Button
            variant="quiet"
            icon={<FileDown size={18} aria-hidden="true" />}
            onClick={() => void save()}
          >
            {t('ops.audit.export')}
          </Button>
          <Button icon={<ShieldCheck size={18} aria-hidden="true" />} onClick={() => void verify()}>
            {t('ops.audit.verify')}
          </Button>
        </>
      }
      empty={{ icon: <ScrollText size={24} />, title: t('ops.audit.emptyTitle') }}
    />
  );
}
