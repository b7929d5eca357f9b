import { useQueryClient } from '@tanstack/react-query';
import { ScanSearch } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { reconcile, type ReconcilePlan } from '../../api/admin/operations';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Button, SelectField, Skeleton, TextField, toast } from '../../shared/ui';
import { reconciliationsQuery, storageNamesQuery } from '../data/queries';
import { PanelPage } from '../list/PanelPage';
import styles from '../ops/ops.module.css';
import { Run } from './Run';

/** Reconcile compares a storage with the shares, and adopts or deletes what a check found. */
export default function Reconcile() {
  const t = useT();
  const client = useQueryClient();
  const storages = useReading(storageNamesQuery);
  const { data, error, retry } = useReading(reconciliationsQuery);
  const [chosen, setChosen] = useState('');
  const [folder, setFolder] = useState('');
  const [busy, setBusy] = useState(false);
  const names = storages.data ?? [];
  const storage = chosen || (names[0]?.id ?? '');

  async function start(plan: Partial<ReconcilePlan>) {
    setBusy(true);
    try {
      await reconcile(plan);
      toast.success(t('ops.reconcile.started'));
    } catch (problem) {
      toast.error(errorText(problem, t));
    } finally {
      await client.invalidateQueries({ queryKey: reconciliationsQuery.queryKey });
      setBusy(false);
    }
  }

  function check(event: SubmitEvent) {
    event.preventDefault();
    void start({ storage_id: storage, folder: folder.trim() });
  }

  return (
    <PanelPage title={t('admin.pages.reconcile')} intro={t('ops.reconcile.intro')}>
      <div className={styles.part}>
        <form className={styles.panel} onSubmit={check}>
          <SelectField
            label={t('ops.reconcile.storage')}
            value={storage}
            onChange={(event) => setChosen(event.target.value)}
            choices={names.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <TextField
            label={t('ops.reconcile.folder')}
            hint={t('ops.reconcile.folderHelp')}
            value={folder}
            onChange={(event) => setFolder(event.target.value)}
          />
          <div>
            <Button
              type="submit"
              variant="primary"
              busy={busy}
              disabled={!storage}
              icon={<ScanSearch size={18} aria-hidden="true" />}
            >
              {t('ops.reconcile.check')}
            </Button>
          </div>
        </form>
        {(error ?? storages.error) && (
          <ErrorPanel error={(error ?? storages.error) as Error} onRetry={retry} />
        )}
        {!data && !error && <Skeleton lines={4} />}
        {data && (
          <>
            <h2>{t('ops.reconcile.latest')}</h2>
            {data.length === 0 && <p className={styles.muted}>{t('ops.reconcile.empty')}</p>}
            <ul className={styles.cards}>
              {data.map((run) => (
                <li key={run.id} className={styles.panel}>
                  <Run
                    run={run}
                    name={names.find(({ id }) => id === run.storage_id)?.name ?? run.storage_id}
                    busy={busy}
                    onAct={(choices) =>
                      void start({
                        storage_id: run.storage_id,
                        folder: run.folder,
                        report: run.id,
                        ...choices,
                      })
                    }
                  />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </PanelPage>
  );
}
