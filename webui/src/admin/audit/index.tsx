import { Download, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { auditEntries, fetchFile, verifyAudit } from '../../api/admin/operations';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { saveBlob } from '../../shared/saveBlob';
import { Button, SelectField, TextField, Time, toast } from '../../shared/ui';
import { PanelPage } from '../list/PanelPage';
import { Code } from '../ops/Code';
import { Feed } from '../ops/Feed';
import styles from '../ops/ops.module.css';
import { Table } from '../ops/Table';
import { useFeed } from '../ops/useFeed';

/** Audit shows who did what (§7.11). */
export default function Audit() {
  const t = useT();
  const [filter, setFilter] = useState({ action: '', actor: '', target: '', outcome: '' });
  const query = Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name, value.trim() || undefined]),
  );
  const feed = useFeed({ name: 'audit', load: auditEntries, query });
  const field = (name: keyof typeof filter) => ({
    value: filter[name],
    onChange: (event: { target: { value: string } }) => setFilter({ ...filter, [name]: event.target.value }),
  });

  async function save() {
    try {
      saveBlob(await fetchFile('GET', '/admin/audit/export', query), 'pasteport-audit.jsonl');
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

  return (
    <PanelPage title={t('admin.pages.audit')} intro={t('ops.audit.intro')}>
      <div className={styles.part}>
        <div className={styles.row}>
          <TextField label={t('ops.audit.action')} placeholder="key." {...field('action')} />
          <TextField label={t('ops.audit.actor')} {...field('actor')} />
          <TextField label={t('ops.audit.target')} {...field('target')} />
          <SelectField
            label={t('ops.audit.outcome')}
            choices={[
              { value: '', label: t('ops.all') },
              { value: 'done', label: t('ops.audit.done') },
              { value: 'failed', label: t('ops.audit.failed') },
            ]}
            {...field('outcome')}
          />
          <Button icon={<ShieldCheck size={18} aria-hidden="true" />} onClick={() => void verify()}>
            {t('ops.audit.verify')}
          </Button>
          <Button icon={<Download size={18} aria-hidden="true" />} onClick={() => void save()}>
            {t('ops.export')}
          </Button>
        </div>
        <Feed feed={feed}>
          {(rows) => (
            <Table
              label={t('admin.pages.audit')}
              rows={rows}
              keyOf={(row) => String(row.n)}
              columns={[
                { label: t('ops.time'), render: (row) => <Time value={row.timestamp} /> },
                { label: t('ops.audit.actor'), render: (row) => row.name || row.type },
                { label: t('ops.audit.action'), render: (row) => <code>{row.action}</code> },
                { label: t('ops.audit.target'), long: true, render: (row) => row.target },
                {
                  label: t('ops.audit.outcome'),
                  render: (row) => (
                    <span className={row.outcome === 'done' ? styles.good : styles.bad}>
                      {row.outcome === 'done' ? t('ops.audit.done') : `${t('ops.audit.failed')} ${row.code}`}
                    </span>
                  ),
                },
                { label: t('ops.address'), render: (row) => row.client_ip },
                {
                  label: t('ops.details'),
                  render: (row) =>
                    row.details ? (
                      <details>
                        <summary>{t('ops.show')}</summary>
                        <Code label={t('ops.details')}>{JSON.stringify(row.details, null, 1)}</Code>
                      </details>
                    ) : null,
                },
              ]}
            />
          )}
        </Feed>
      </div>
    </PanelPage>
  );
}
