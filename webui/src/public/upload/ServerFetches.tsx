import { Ban, X } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { cancelTask, forgetTask, type Task } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { fetchesQuery, hasEnded } from '../../shared/query/tasks';
import { useTaskDeed } from '../../shared/query/useTaskDeed';
import { IconButton } from '../../shared/ui';
import rows from '../../shared/uploader/row.module.css';
import styles from './upload.module.css';

/** ServerFetches shows what the server brings from other sites by itself, also after the page was closed. */
export function ServerFetches() {
  const t = useT();
  // After a failure what was shown stays; the next start or visit looks again.
  const { data: tasks } = useQuery(fetchesQuery);
  const act = useTaskDeed();
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
            onCancel={() => act(() => cancelTask(task.id))}
            onForget={() => act(() => forgetTask(task.id))}
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
  const runs = !hasEnded(task);
  return (
    <li className={rows.row} data-status={status === 'failed' ? 'error' : undefined}>
      <FileGlyph file={{ filename: name, mimetype: '', type: 0 }} />
      <div className={rows.rowBody}>
        <p className={rows.rowName} dir="auto">
          {name}
        </p>
        <p className={rows.rowFacts}>
          <span className={rows.rowStatus}>{t(`file.fetches.${status}`)}</span>
          {bytes.done > 0 && (
            <span>
              {formatSize(bytes.done, language)}
              {bytes.total > 0 && ` / ${formatSize(bytes.total, language)}`}
            </span>
          )}
        </p>
        {runs && <progress max={100} value={progress} aria-label={t('file.url.progress', { name })} />}
        {error && <p className={rows.rowError}>{error.message}</p>}
      </div>
      <div className={rows.rowActions}>
        {runs ? (
          <IconButton label={t('file.list.cancel', { name })} disabled={task.cancelling} onClick={onCancel}>
            <Ban size={20} />
          </IconButton>
        ) : (
          <IconButton label={t('file.list.remove', { name })} onClick={onForget}>
            <X size={20} />
          </IconButton>
        )}
      </div>
    </li>
  );
}
