import {
  Archive,
  Ban,
  Bell,
  Copy,
  FolderInput,
  ListTree,
  Pencil,
  RotateCcw,
  Trash2,
  Upload,
} from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { isAborted } from '../../api/client';
import {
  cancelTask,
  forgetTask,
  getTask,
  listTasks,
  retryTask,
  type Task,
  type TaskItem,
} from '../../api/fs';
import { hasMessage, useLanguage, useT } from '../../i18n';
import { errorText } from '../../shared/errorText';
import { formatSize } from '../../shared/format';
import { Button, confirm, Dialog, ErrorPanel, IconButton, Skeleton, Time, toast } from '../../shared/ui';
import type { Asked } from './asked';
import styles from './explorer.module.css';
import { notices } from './notices';
import { uploads } from './uploads';
import { hasEnded, work } from './work';

/** Milliseconds between two looks while something runs. */
const every = 1500;

interface TasksDialogProps {
  onClose: () => void;
  onAsk: (asked: Asked) => void;
}

/** TasksDialog shows what the server and this browser do in the background, and what they have done. */
export default function TasksDialog({ onClose, onAsk }: TasksDialogProps) {
  const t = useT();
  const [tasks, setTasks] = useState<Task[]>();
  const [error, setError] = useState<unknown>();
  const [looks, setLooks] = useState(0);
  const again = () => setLooks((before) => before + 1);

  useEffect(() => {
    const leave = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    listTasks(leave.signal).then(
      (found) => {
        setTasks(found.tasks);
        setError(undefined);
        if (!found.tasks.every(hasEnded)) timer = setTimeout(again, every);
      },
      (problem: unknown) => {
        if (!isAborted(problem)) setError(problem);
      },
    );
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [looks]);

  async function act(deed: Promise<unknown>) {
    try {
      await deed;
    } catch (problem) {
      toast.error(errorText(problem, t));
    }
    again();
  }

  async function clear() {
    const sure = await confirm({
      title: t('explorer.tasks.clearTitle', done.length),
      body: t('explorer.tasks.clearBody'),
      confirmLabel: t('explorer.tasks.clear'),
    });
    if (sure) void act(Promise.all(done.map(({ id }) => forgetTask(id))));
  }

  const done = tasks?.filter(hasEnded) ?? [];
  return (
    <Dialog
      wide
      title={t('explorer.tasks.title')}
      onClose={onClose}
      footer={
        done.length > 0 && (
          <Button variant="quiet" onClick={() => void clear()}>
            {t('explorer.tasks.clear')}
          </Button>
        )
      }
    >
      <Transfers onAsk={onAsk} />
      <AskNotices />
      {error !== undefined && <ErrorPanel error={error} onRetry={again} />}
      {!tasks && error === undefined && <Skeleton height={160} />}
      {tasks?.length === 0 && <p className={styles.hint}>{t('explorer.tasks.none')}</p>}
      <ul className={styles.taskList}>
        {tasks?.map((task) => (
          <TaskLine key={task.id} task={task} onAct={(deed) => void act(deed)} />
        ))}
      </ul>
    </Dialog>
  );
}

/** Transfers are this tab's uploads, summed up; their dialog has every file. */
function Transfers({ onAsk }: Pick<TasksDialogProps, 'onAsk'>) {
  const t = useT();
  const language = useLanguage();
  const { items, totals } = useSyncExternalStore(uploads.subscribe, uploads.snapshot);
  const begun = items.filter(({ status }) => status !== 'pending');
  if (begun.length === 0) return null;
  const paused = begun.filter(({ status }) => status === 'paused').length;
  const state = totals.active
    ? 'running'
    : paused > 0
      ? 'paused'
      : totals.failed === 0
        ? 'completed'
        : totals.done > 0
          ? 'partial'
          : 'failed';
  return (
    <ul className={styles.taskList}>
      <li className={styles.task}>
        <Upload size={20} aria-hidden="true" />
        <div className={styles.uploadBody}>
          <p>{t('explorer.tasks.uploads', begun.length)}</p>
          <p className={styles.facts}>
            {t(`explorer.tasks.states.${state}`)} · {totals.done} / {totals.files} ·{' '}
            {formatSize(totals.sent, language)} / {formatSize(totals.bytes, language)}
          </p>
          {(totals.active || paused > 0) && (
            <progress
              max={Math.max(1, totals.bytes)}
              value={totals.sent}
              aria-label={t('explorer.tasks.progress', { name: t('explorer.tasks.uploads', begun.length) })}
            />
          )}
        </div>
        <Button onClick={() => onAsk({ kind: 'upload' })}>{t('explorer.tasks.files')}</Button>
      </li>
    </ul>
  );
}

/** AskNotices offers messages of the system for what ends while another tab is looked at. */
function AskNotices() {
  const t = useT();
  const [state, setState] = useState(notices.state());
  if (state !== 'default') return null;
  return (
    <div className={styles.sources}>
      <p className={styles.hint}>{t('explorer.tasks.notices')}</p>
      <Button
        variant="quiet"
        icon={<Bell size={18} aria-hidden="true" />}
        onClick={() => void notices.ask().then(setState)}
      >
        {t('explorer.tasks.allowNotices')}
      </Button>
    </div>
  );
}

const typeIcons: Record<string, typeof Copy> = {
  copy: Copy,
  move: FolderInput,
  rename: Pencil,
  delete: Trash2,
  index: ListTree,
};

function TaskLine({ task, onAct }: { task: Task; onAct: (deed: Promise<unknown>) => void }) {
  const t = useT();
  const language = useLanguage();
  const { items, bytes } = task;
  const running = !hasEnded(task);
  const retryable = ['failed', 'partial', 'cancelled'].includes(task.status);
  const [current] = task.current;
  const TypeIcon = typeIcons[task.type] ?? Archive;
  return (
    <li className={styles.task} data-status={task.status}>
      <TypeIcon size={20} aria-hidden="true" />
      <div className={styles.uploadBody}>
        <p>{task.title}</p>
        <p className={styles.facts}>
          {hasMessage(`explorer.tasks.types.${task.type}`) && `${t(`explorer.tasks.types.${task.type}`)} · `}
          {t(`explorer.tasks.states.${task.cancelling ? 'cancelling' : task.status}`)}
          {items.total > 0 && ` · ${items.completed + items.skipped} / ${items.total}`}
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
        {task.error && <p className={styles.problem}>{task.error.message}</p>}
        {items.failed > 0 && <Failures id={task.id} count={items.failed} />}
      </div>
      {running && (
        <IconButton
          label={t('explorer.tasks.cancel', { name: task.title })}
          disabled={task.cancelling}
          onClick={() => onAct(cancelTask(task.id))}
        >
          <Ban size={20} aria-hidden="true" />
        </IconButton>
      )}
      {retryable && (
        <IconButton
          label={t('explorer.tasks.retry', { name: task.title })}
          onClick={() => {
            onAct(retryTask(task.id).then(() => void work.follow(task.id)));
          }}
        >
          <RotateCcw size={20} aria-hidden="true" />
        </IconButton>
      )}
      {!running && (
        <IconButton
          label={t('explorer.tasks.forget', { name: task.title })}
          onClick={() => onAct(forgetTask(task.id))}
        >
          <Trash2 size={20} aria-hidden="true" />
        </IconButton>
      )}
    </li>
  );
}

/** Failures reads what failed when somebody wants to know. */
function Failures({ id, count }: { id: string; count: number }) {
  const t = useT();
  const [failed, setFailed] = useState<TaskItem[]>();
  return (
    <details
      onToggle={(event) => {
        if (!event.currentTarget.open || failed) return;
        getTask(id).then(
          ({ results }) => setFailed(results.filter(({ status }) => status === 'failed')),
          () => setFailed([]),
        );
      }}
    >
      <summary>{t('explorer.failed.title', count)}</summary>
      <ul className={styles.failed}>
        {failed?.map(({ path, error }) => (
          <li key={path}>
            <strong>{path}</strong>
            <span>{error?.message}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
