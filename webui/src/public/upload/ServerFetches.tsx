import { Ban, X } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { errorText } from '../../api/errorText';
import { cancelTask, forgetTask, type Task } from '../../api/fs';
import { listFetches } from '../../api/urls';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { IconButton, toast } from '../../shared/ui';
import styles from './upload.module.css';

/** Milliseconds between two looks while something runs. */
const every = 1500;

const runs = ({ status }: Task) => status === 'pending' || status === 'running' || status === 'interrupted';

interface ServerFetchesProps {
  /** begun changes when a fetch was started. */
  begun: number;
  onShared: () => void;
}

/** ServerFetches shows what the server brings from other sites by itself, also after the page was closed. */
export function ServerFetches({ begun, onShared }: ServerFetchesProps) {
  const t = useT();
  const [tasks, setTasks] = useState<Task[]>();
  const [looks, setLooks] = useState(0);

  const show = useEffectEvent((found: Task[]) => {
    const knew = (id: string) => tasks?.some((one) => one.id === id && one.status === 'completed');
    const done = tasks && found.some(({ id, status }) => status === 'completed' && !knew(id));
    if (done) onShared();
    setTasks(found);
  });

  useEffect(() => {
    const leave = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    listFetches(leave.signal).then(
      ({ tasks: found }) => {
        show(found);
        if (found.some(runs)) timer = setTimeout(() => setLooks((before) => before + 1), every);
      },
      // What was shown stays; the next start or visit looks again.
      () => undefined,
    );
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [begun, looks]);

  async function act(deed: Promise<unknown>) {
    try {
      await deed;
    } catch (problem) {
      toast.error(errorText(problem, t));
    }
    setLooks((before) => before + 1);
  }

  if (!tasks || tasks.length === 0) return null;
  return (
    <section className={styles.results} aria-labelledby="pp-server-fetches">
      <h2 id="pp-server-fetches">{t('file.fetches.title')}</h2>
      <p className={styles.hint}>{t('file.fetches.body')}</p>
      <ul>
        {tasks.map((task) => (
          <Row
            key={task.id}
            task={task}
            onCancel={() => void act(cancelTask(task.id))}
            onForget={() => void act(forgetTask(task.id))}
          />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  task: Task;
  onCancel: () => void;
  onForget: () => void;
}

function Row({ task, onCancel, onForget }: RowProps) {
  const t = useT();
  const language = useLanguage();
  const { title: name, status, progress, bytes, error } = task;
  return (
    <li className={styles.row} data-status={status === 'failed' ? 'error' : undefined}>
      <FileGlyph file={{ filename: name, mimetype: '', type: 0 }} />
      <div className={styles.rowBody}>
        <p className={styles.rowName}>{name}</p>
        <p className={styles.rowFacts}>
          <span className={styles.rowStatus}>{t(`file.fetches.${status}`)}</span>
          {bytes.done > 0 && (
            <span>
              {formatSize(bytes.done, language)}
              {bytes.total > 0 && ` / ${formatSize(bytes.total, language)}`}
            </span>
          )}
        </p>
        {runs(task) && <progress max={100} value={progress} aria-label={t('file.url.progress', { name })} />}
        {error && <p className={styles.rowError}>{error.message}</p>}
      </div>
      <div className={styles.rowActions}>
        {runs(task) ? (
          <IconButton label={t('file.list.cancel', { name })} disabled={task.cancelling} onClick={onCancel}>
            <Ban size={20} aria-hidden="true" />
          </IconButton>
        ) : (
          <IconButton label={t('file.list.remove', { name })} onClick={onForget}>
            <X size={20} aria-hidden="true" />
          </IconButton>
        )}
      </div>
    </li>
  );
}
