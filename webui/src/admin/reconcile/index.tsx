import { useQueryClient } from '@tanstack/react-query';
import { ScanSearch } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { reconcile, type ReconcilePlan } from '../../api/admin/operations';
import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button, SelectField, TextField } from '../../shared/ui';
import { reconciliationsQuery, storageNamesQuery } from '../data/queries';
import { PanelPage } from '../list/PanelPage';
import { Loaded } from '../ops/Loaded';
import styles from '../ops/ops.module.css';
import { useAct } from '../useAct';
import { Run } from './Run';

/** Reconcile compares a storage with the shares, and adopts or deletes what a check found. */
export default function Reconcile() {
  const t = useT();
  const client = useQueryClient();
  const storages = useReading(storageNamesQuery);
  const runs = useReading(reconciliationsQuery);
  const [chosen, setChosen] = useState('');
  const [folder, setFolder] = useState('');
  const { busy, act } = useAct();
  const names = storages.data ?? [];
  const storage = chosen || (names[0]?.id ?? '');

  const start = (plan: Partial<ReconcilePlan>) =>
    act(
      () =>
        reconcile(plan).finally(() => client.invalidateQueries({ queryKey: reconciliationsQuery.queryKey })),
      t('ops.reconcile.started'),
    );

  function check(event: SubmitEvent) {
    event.preventDefault();
    start({ storage_id: storage, folder: folder.trim() });
  }

  return (
    <PanelPage intro={t('ops.reconcile.intro')}>
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
              icon={<ScanSearch size={18} />}
            >
              {t('ops.reconcile.check')}
            </Button>
          </div>
        </form>
        <Loaded of={{ ...runs, error: runs.error ?? storages.error }} lines={4}>
          {(data) => (
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
                        start({
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
        </Loaded>
      </div>
    </PanelPage>
  );
}
