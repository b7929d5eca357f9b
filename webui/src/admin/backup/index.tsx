import { Download, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { fetchFile, forgetRestore, restartForBackup, stageRestore } from '../../api/admin/operations';
import { ApiError } from '../../api/errors';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { useReading } from '../../shared/query/useReading';
import { saveBlob } from '../../shared/saveBlob';
import { Button, confirm, CopyButton, TimeIn } from '../../shared/ui';
import { backupQuery } from '../data/queries';
import { confirmed } from '../form/confirmed';
import { PanelPage } from '../list/PanelPage';
import { Code } from '../ops/Code';
import { Detail } from '../ops/Detail';
import { Loaded } from '../ops/Loaded';
import styles from '../ops/ops.module.css';
import { questionOf, useAct } from '../useAct';
import { Kept } from './Kept';
import { noteRestored } from '../../shared/restored';
import { askRestore } from './restart';

// Several servers may have one PostgreSQL database open, and none may take it from the others.
const byHand = `createdb pasteport_restored
pasteport backup restore --database-url postgres:///pasteport_restored a.backup`;

/** Backup makes backups and hands one to the next start of the server. */
export default function Backup() {
  const t = useT();
  const language = useLanguage();
  const state = useReading(backupQuery);
  const { busy, act } = useAct();
  const input = useRef<HTMLInputElement>(null);
  const [restarting, setRestarting] = useState(false);

  const work = (run: () => Promise<unknown>, done?: string) =>
    act(() => run().finally(state.retry), done && (() => done));

  const make = () =>
    work(async () => {
      const name = `pasteport-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}.backup`;
      saveBlob(await confirmed(() => fetchFile('POST', '/admin/backup'), t), name);
    }, t('ops.backup.made'));

  // The dialog is gone before the work begins, which may ask for the password.
  async function restore(which: string, stage: () => Promise<boolean>) {
    const choice = await askRestore(which, t);
    if (!choice) return;
    act(
      async () => {
        const staged = await stage().finally(state.retry);
        if (staged && choice.now) await restart();
        return staged && !choice.now;
      },
      (waits) => (waits ? t('ops.backup.staged') : undefined),
    );
  }

  async function restart() {
    setRestarting(true);
    try {
      noteRestored();
      await confirmed(restartForBackup, t);
      // Nothing that was read before is true any more.
      location.reload();
    } finally {
      setRestarting(false);
    }
  }

  /** stage hands over a backup and answers whether it is wanted, once it is known what it is. */
  async function stage(file: File): Promise<boolean> {
    try {
      await confirmed(() => stageRestore(file), t);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'backup_unsigned') throw error;
      const question = { confirmLabel: t('ops.backup.restoreAnyway'), danger: true };
      if (!(await confirm(questionOf(t, 'ops.backup.unsigned', question)))) return false;
      await confirmed(() => stageRestore(file, true), t);
    }
    return true;
  }

  return (
    <PanelPage intro={t('ops.backup.intro')}>
      <Loaded of={state} lines={4}>
        {({ schedule, database, staged, refused }) => (
          <div className={styles.part}>
            {restarting && (
              <div className={styles.banner} role="status">
                {t('ops.backup.restarting')}
              </div>
            )}
            {refused && (
              <div className={styles.banner} role="alert">
                <span>
                  <TimeIn sentence="ops.backup.refused" value={refused.at} />
                </span>
                <Detail text={refused.problem} />
                <Button disabled={busy} onClick={() => work(forgetRestore)}>
                  {t('ops.backup.dismiss')}
                </Button>
              </div>
            )}
            <Kept
              schedule={schedule}
              restores={database === 'sqlite'}
              onChanged={state.retry}
              onRestore={(which, take) => void restore(which, take)}
            >
              <Button busy={busy} icon={<Download size={18} />} onClick={make}>
                {t('ops.backup.download')}
              </Button>
            </Kept>
            {database !== 'sqlite' && (
              <section className={styles.panel}>
                <h2>{t('ops.backup.restore')}</h2>
                <p>{t('ops.backup.postgres')}</p>
                <Code label={t('ops.backup.restore')}>{byHand}</Code>
                <div>
                  <CopyButton text={byHand} label={t('ops.backup.copyCommands')} />
                </div>
              </section>
            )}
            {database === 'sqlite' && (
              <section className={styles.panel}>
                <h2>{t('ops.backup.restore')}</h2>
                <p>{t('ops.backup.restoreHow')}</p>
                {staged && (
                  <div className={styles.banner} role="status">
                    <span>
                      <TimeIn
                        sentence="ops.backup.waits"
                        value={staged.created_at}
                        values={{ size: formatSize(staged.bytes, language) }}
                      />
                    </span>
                    <div className={styles.row}>
                      <Button variant="primary" busy={busy} onClick={() => work(restart)}>
                        {t('ops.backup.restart')}
                      </Button>
                      <Button disabled={busy} onClick={() => work(forgetRestore)}>
                        {t('ops.backup.forget')}
                      </Button>
                    </div>
                  </div>
                )}
                <input
                  ref={input}
                  type="file"
                  hidden
                  data-testid="backup-file"
                  accept=".backup"
                  aria-label={t('ops.backup.file')}
                  onChange={(event) => {
                    const file = event.target.files?.[0];
                    event.target.value = '';
                    if (file) void restore(file.name, () => stage(file));
                  }}
                />
                <div>
                  <Button busy={busy} icon={<Upload size={18} />} onClick={() => input.current?.click()}>
                    {t('ops.backup.choose')}
                  </Button>
                </div>
              </section>
            )}
          </div>
        )}
      </Loaded>
    </PanelPage>
  );
}
