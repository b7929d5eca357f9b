import { CircleStop, RotateCcw } from 'lucide-react';
import { useRefresh } from 'react-admin';
import { toldText } from '../../api/errorText';
import { cancelTask, retryTask, type Task } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { hasEnded } from '../../shared/query/tasks';
import type { Column, RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import styles from '../ops/ops.module.css';
import { Chip } from '../share/cells';

/** Milliseconds between two looks while something runs. */
const every = 3000;

const tones = { completed: 'ok', failed: 'danger', partial: 'warn', interrupted: 'warn' } as const;

/** Tasks shows the work that the server does in the background. */
export default function Tasks() {
  const t = useT();
  const language = useLanguage();
  const refresh = useRefresh();
  const done = ({ bytes }: Task) => (bytes.total > 0 ? formatSize(bytes.done, language) : '');

  const columns: Column<Task>[] = [
    { source: 'title', label: t('ops.tasks.what'), title: true, sortable: true },
    {
      source: 'type',
      label: t('ops.tasks.type'),
      sortable: true,
      render: (task) => t(`ops.tasks.types.${task.type}`),
    },
    {
      source: 'status',
      label: t('ops.tasks.status'),
      sortable: true,
      csv: (task) => t(`ops.tasks.state.${task.status}`),
      render: (task) => (
        <>
          <Chip {...(task.status in tones && { tone: tones[task.status as keyof typeof tones] })}>
            {t(`ops.tasks.state.${task.status}`)}
          </Chip>
          {task.error && <p className={styles.more}>{toldText(task.error, t)}</p>}
        </>
      ),
    },
    {
      source: 'progress',
      label: t('ops.tasks.progress'),
      number: true,
      render: (task) => (
        <>
          {!hasEnded(task) && (
            <progress max={100} value={task.progress} aria-label={t('ops.tasks.progress')} />
          )}{' '}
          {task.progress}% {done(task)}
        </>
      ),
    },
    { source: 'created_at', label: t('ops.time'), sortable: true, as: 'time' },
  ];

  const actions = (task: Task): RowAction[] => {
    if (!hasEnded(task))
      return [
        {
          label: t('ops.tasks.cancel'),
          icon: CircleStop,
          run: () => cancelTask(task.id).then(refresh),
          shown: true,
        },
      ];
    if (task.status === 'completed') return [];
    return [
      {
        label: t('ops.tasks.retry'),
        icon: RotateCcw,
        run: () => retryTask(task.id).then(refresh),
        shown: true,
      },
    ];
  };

  return (
    <PanelList<Task>
      words="ops.tasks"
      columns={columns}
      nameOf={(task) => task.title}
      actions={actions}
      filters={[
        {
          name: 'status',
          label: t('ops.tasks.status'),
          choices: [
            { value: 'pending,running,interrupted', label: t('ops.tasks.open') },
            { value: 'failed,partial', label: t('ops.tasks.state.failed') },
            { value: 'completed', label: t('ops.tasks.state.completed') },
          ],
        },
      ]}
      removes={{ verb: t('ops.tasks.forget'), may: hasEnded }}
      every={(rows) => !rows.every(hasEnded) && every}
    />
  );
}
