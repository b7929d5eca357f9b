import { CircleAlert, CircleCheck, DatabaseBackup, Download, RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  askBackup,
  deleteBackup,
  fetchBackup,
  takeBackup,
  type KeptBackup,
  type Schedule,
} from '../../api/admin/operations';
import { useLanguage, useT } from '../../i18n';
import { formatSize, formatTime, parseTime } from '../../shared/format';
import { useReading } from '../../shared/query/useReading';
import { saveBlob } from '../../shared/saveBlob';
import { Button, IconButton, Time, TimeIn } from '../../shared/ui';
import { keptBackupsQuery } from '../data/queries';
import { confirmed } from '../form/confirmed';
import { Loaded } from '../ops/Loaded';
import styles from '../ops/ops.module.css';
import { Table } from '../ops/Table';
import { Link } from '../router';
import { useAct } from '../useAct';

interface KeptProps {
  schedule: Schedule;
  /** restores says that this server can restore at its next start. */
  restores: boolean;
  onChanged: () => void;
  /** onRestore asks whether to restore the backup so named, which `take` then hands over. */
  onRestore: (which: string, take: () => Promise<boolean>) => void;
  /** children are other ways to a backup. */
  children: ReactNode;
}

/** Kept is how scheduled backups went, and those that are kept. */
export function Kept({ schedule, restores, onChanged, onRestore, children }: KeptProps) {
  const t = useT();
  const language = useLanguage();
  const ended = schedule.last?.ended ?? '';
  const list = useReading(keptBackupsQuery(ended));
  const { busy, act, ask } = useAct();
  const running = schedule.waits || (schedule.last !== null && !schedule.last.ended);

  const work = (run: () => Promise<unknown>, done?: string) =>
    act(
      () => run().finally(onChanged).finally(list.retry),
      () => done,
    );

  const download = ({ name }: KeptBackup, files: boolean) =>
    work(async () => {
      const saved = files ? name.replace(/backup$/, 'files') : name;
      saveBlob(await confirmed(() => fetchBackup(name, files), t), saved);
    });

  const restore = ({ name, created_at: made }: KeptBackup) =>
    onRestore(formatTime(parseTime(made), language), async () => {
      await confirmed(() => takeBackup(name), t);
      return true;
    });

  const remove = ({ name }: KeptBackup) =>
    ask('ops.backup.delete', {
      body: name,
      danger: true,
      closes: true,
      run: () => confirmed(() => deleteBackup(name), t).finally(list.retry),
      done: t('ops.backup.deleted'),
    });

  const actions = (kept: KeptBackup) => (
    <div className={styles.row}>
      <IconButton
        label={t('ops.backup.downloadOf', { name: kept.name })}
        onClick={() => download(kept, false)}
      >
        <Download size={18} />
      </IconButton>
      {restores && (
        <IconButton label={t('ops.backup.restoreOf', { name: kept.name })} onClick={() => restore(kept)}>
          <RotateCcw size={18} />
        </IconButton>
      )}
      <IconButton label={t('ops.backup.deleteOf', { name: kept.name })} onClick={() => void remove(kept)}>
        <Trash2 size={18} />
      </IconButton>
    </div>
  );

  return (
    <>
      <section className={styles.panel}>
        <div className={styles.between}>
          <h2>{t('ops.backup.make')}</h2>
          <Link to="/admin/settings/backup">{t('ops.backup.settings')}</Link>
        </div>
        <State schedule={schedule} />
        <p className={styles.muted}>{t('ops.backup.makeBody')}</p>
        <div className={styles.row}>
          <Button
            variant="primary"
            busy={busy || running}
            icon={<DatabaseBackup size={18} />}
            onClick={() => work(askBackup, t('ops.backup.asked'))}
          >
            {t('ops.backup.now')}
          </Button>
          {children}
        </div>
      </section>
      <Loaded of={list} lines={3}>
        {(rows) =>
          rows.length > 0 && (
            <Table
              label={t('ops.backup.kept')}
              rows={rows}
              keyOf={(kept) => kept.name}
              columns={[
                { label: t('ops.backup.kept'), render: (kept) => <Time value={kept.created_at} /> },
                {
                  label: t('ops.backup.size'),
                  end: true,
                  render: (kept) => formatSize(kept.bytes, language),
                },
                {
                  label: t('ops.backup.files'),
                  end: true,
                  render: (kept) =>
                    kept.file_bytes > 0 ? (
                      <Button
                        aria-label={t('ops.backup.filesOf', {
                          name: kept.name,
                          size: formatSize(kept.file_bytes, language),
                        })}
                        onClick={() => download(kept, true)}
                      >
                        {formatSize(kept.file_bytes, language)}
                      </Button>
                    ) : (
                      '–'
                    ),
                },
                { label: t('ops.backup.actions'), end: true, render: actions },
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
}

/** State says how the last backup went and when the next is due. */
function State({ schedule: { waits, next, last, good } }: { schedule: Schedule }) {
  const t = useT();
  const running = waits || (last !== null && !last.ended);
  return (
    <div role="status" className={styles.part}>
      {running && <p>{t('ops.backup.running')}</p>}
      {!running && last?.problem && (
        <p>
          <CircleAlert size={18} /> <TimeIn sentence="ops.backup.failed" value={last.began} />
          {' · '}
          {last.problem}
        </p>
      )}
      {good && (
        <p>
          <CircleCheck size={18} /> <TimeIn sentence="ops.backup.good" value={good.began} relative />
        </p>
      )}
      {!running && <p>{next ? <TimeIn sentence="ops.backup.next" value={next} /> : t('ops.backup.off')}</p>}
    </div>
  );
}
