import { Archive, Ban, Copy, FolderInput, ListTree, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toldText } from '../../api/errorText';
import { cancelTask, forgetTask, retryTask, type Task } from '../../api/fs';
import { hasMessage, useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { hasEnded, taskItemsQuery } from '../../shared/query/tasks';
import { IconButton, Time } from '../../shared/ui';
import styles from './explorer.module.css';
import { follow } from './work';

const typeIcons: Record<string, typeof Copy> = {
  copy: Copy,
  move: FolderInput,
  rename: Pencil,
  delete: Trash2,
  index: ListTree,
};

/** TaskLine is one task of the server. */
export function TaskLine({ task, onAct }: { task: Task; onAct: (deed: () => Promise<unknown>) => void }) {
  const t = useT();
  const language = useLanguage();
  const { items, bytes } = task;
  const running = !hasEnded(task);
  const retryable = ['failed', 'partial', 'cancelled'].includes(task.status);
  const [current] = task.current;
  const TypeIcon = typeIcons[task.type] ?? Archive;
  return (
    <li className={styles.task} data-status={task.status}>
      <TypeIcon size={20} />
      <div className={styles.uploadBody}>
        <p>{task.title}</p>
        <p className={styles.facts}>
          {hasMessage(`explorer.tasks.types.${task.type}`) && `${t(`explorer.tasks.types.${task.type}`)} · `}
          <span className={styles.state}>
            {t(`explorer.tasks.states.${task.cancelling ? 'cancelling' : task.status}`)}
          </span>
          {items.total > 0 && ` · ${items.completed + items.skipped} / ${items.total}`}
          {items.failed > 0 && ` · ${t('explorer.failed.title', items.failed)}`}
          {bytes.total > 0 && ` · ${formatSize(bytes.done, language)} / ${formatSize(bytes.total, language)}`}
          {' · '}
          <Time value={task.created_at} relative />
        </p>
        {running && (
          <progress
            max={100}
            value={task.progress}
            aria-label={t('explorer.tasks.progress', { name: task.title })}
          />
        )}
        {running && current && <p className={styles.facts}>{current.path}</p>}
        {task.error && <p className={styles.problem}>{toldText(task.error, t)}</p>}
        {items.total > 0 && <TaskItems task={task} />}
      </div>
      {running && (
        <IconButton
          label={t('explorer.tasks.cancel', { name: task.title })}
          disabled={task.cancelling}
          onClick={() => onAct(() => cancelTask(task.id))}
        >
          <Ban size={20} />
        </IconButton>
      )}
      {retryable && (
        <IconButton
          label={t('explorer.tasks.retry', { name: task.title })}
          onClick={() => {
            onAct(() => retryTask(task.id).then(() => void follow(task.id)));
          }}
        >
          <RotateCcw size={20} />
        </IconButton>
      )}
      {!running && (
        <IconButton
          label={t('explorer.tasks.forget', { name: task.title })}
          onClick={() => onAct(() => forgetTask(task.id))}
        >
          <Trash2 size={20} />
        </IconButton>
      )}
    </li>
  );
}

/** TaskItems are the states of a task's files, read while somebody looks; what failed comes first. */
function TaskItems({ task: { id, status, items } }: { task: Task }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const step = `${status} ${items.completed} ${items.skipped} ${items.failed}`;
  const { data, isError } = useQuery({
    ...taskItemsQuery(id, step),
    enabled: open,
    placeholderData: keepPreviousData,
  });
  const read = data ?? (isError ? [] : undefined);
  const left = items.total - (read?.length ?? 0);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.facts}>{t('explorer.tasks.details', items.total)}</summary>
      <ul className={styles.taskItems}>
        {read?.map((item) => (
          <li key={item.path} data-status={item.status}>
            <span>{item.path}</span>
            <span className={styles.state}>
              {hasMessage(`explorer.tasks.itemStates.${item.status}`)
                ? t(`explorer.tasks.itemStates.${item.status}`)
                : item.status}
            </span>
            {item.error && <span className={styles.problem}>{toldText(item.error, t)}</span>}
          </li>
        ))}
        {read && left > 0 && <li>{t('explorer.remove.more', left)}</li>}
      </ul>
    </details>
  );
}
