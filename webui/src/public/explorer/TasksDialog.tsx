import { Bell } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { forgetTask, type Task } from '../../api/fs';
import { useT } from '../../i18n';
import { notices } from '../../shared/offline/notices';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { hasEnded, tasksQuery } from '../../shared/query/tasks';
import { useReading } from '../../shared/query/useReading';
import { useTaskDeed } from '../../shared/query/useTaskDeed';
import { Button, confirm, Dialog, Skeleton } from '../../shared/ui';
import { useStore } from '../../store';
import type { Asked } from './asked';
import { UnfinishedRow } from '../../shared/uploader/UnfinishedRow';
import { hasBegun, isMoving, listedAt, uploads } from '../../shared/uploader/uploads';
import { useUnfinished } from '../../shared/uploader/useUnfinished';
import styles from './explorer.module.css';
import { TaskLine } from './TaskLine';
import { TransferLine } from './TransferLines';

interface TasksDialogProps {
  onClose: () => void;
  onAsk: (asked: Asked) => void;
}

/** TasksDialog is one list of what the server and this browser do in the background, and of what they have done. */
export default function TasksDialog({ onClose, onAsk }: TasksDialogProps) {
  const t = useT();
  const { data: tasks, error, retry } = useReading(tasksQuery);
  const act = useTaskDeed();
  const { items } = useStore(uploads);
  const unfinished = useUnfinished();

  const begun = listedAt('mount', items).filter(hasBegun);
  const goesOn = begun.some(isMoving);
  const transfers = begun.length > 0 && <TransferLine items={begun} onAsk={onAsk} />;
  const line = (task: Task) => <TaskLine key={task.id} task={task} onAct={act} />;
  const done = tasks?.filter(hasEnded) ?? [];
  const cleared = done.length + (begun.length > 0 && !goesOn ? 1 : 0);
  const active = [goesOn && transfers, ...(tasks?.filter((task) => !hasEnded(task)) ?? []).map(line)].filter(
    Boolean,
  );
  const finished = [!goesOn && transfers, ...done.map(line)].filter(Boolean);

  async function clear() {
    const sure = await confirm({
      title: t('explorer.tasks.clearTitle', cleared),
      body: t('explorer.tasks.clearBody'),
      confirmLabel: t('explorer.tasks.clear'),
    });
    if (!sure) return;
    if (!goesOn) for (const { id } of begun) uploads.remove(id);
    act(() => Promise.all(done.map(({ id }) => forgetTask(id))));
  }

  return (
    <Dialog
      wide
      title={t('explorer.tasks.title')}
      onClose={onClose}
      footer={
        cleared > 0 && (
          <Button variant="quiet" onClick={() => void clear()}>
            {t('explorer.tasks.clear')}
          </Button>
        )
      }
    >
      <div className={styles.form}>
        <AskNotices />
        {error && <ErrorPanel error={error} onRetry={retry} />}
        <Part
          title={t('file.unfinished.title')}
          lines={unfinished.map((begun) => (
            <UnfinishedRow key={begun.id} begun={begun} />
          ))}
        />
        <Part title={t('explorer.tasks.active')} lines={active} />
        {!tasks && !error && <Skeleton height={160} />}
        {tasks && active.length + finished.length + unfinished.length === 0 && (
          <p className={styles.hint}>{t('explorer.tasks.none')}</p>
        )}
        <Part title={t('explorer.tasks.finished')} lines={finished} />
      </div>
    </Dialog>
  );
}

function Part({ title, lines }: { title: string; lines: readonly ReactNode[] }) {
  if (lines.length === 0) return null;
  return (
    <section className={styles.taskPart} aria-label={title}>
      <h3>{title}</h3>
      <ul className={styles.taskList}>{lines}</ul>
    </section>
  );
}

/** AskNotices offers messages of the system for what ends while another tab is looked at. */
function AskNotices() {
  const t = useT();
  const [state, setState] = useState(notices.state());
  if (state === 'denied') return <p className={styles.hint}>{t('explorer.tasks.noticesDenied')}</p>;
  if (state !== 'default') return null;
  return (
    <div className={styles.sources}>
      <p className={styles.hint}>{t('explorer.tasks.notices')}</p>
      <Button variant="quiet" icon={<Bell size={18} />} onClick={() => void notices.ask().then(setState)}>
        {t('explorer.tasks.allowNotices')}
      </Button>
    </div>
  );
}
