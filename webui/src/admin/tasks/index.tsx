import { RefreshCw } from 'lucide-react';
import { api, type Query } from '../../api/client';
import { errorText } from '../../api/errorText';
import type { Task } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { hasEnded } from '../../shared/query/tasks';
import { Button, SelectField, Time, toast } from '../../shared/ui';
import { PanelPage } from '../list/PanelPage';
import { Feed } from '../ops/Feed';
import styles from '../ops/ops.module.css';
import { Table } from '../ops/Table';
import { useFeed } from '../ops/useFeed';
import { useSearchParams } from '../router';

const pageSize = 50;

async function tasks(query: Query, signal?: AbortSignal) {
  const { before, ...rest } = query;
  const offset = Number(before ?? 0);
  const page = await api.get<{ tasks: Task[]; pagination: { total: number } }>('/fs/tasks', {
    query: { ...rest, limit: pageSize, offset },
    signal,
  });
  const next = offset + page.tasks.length;
  return { rows: page.tasks, next: next < page.pagination.total && page.tasks.length > 0 ? next : null };
}

/** Tasks shows the work that the server does in the background. */
export default function Tasks() {
  const t = useT();
  const language = useLanguage();
  // The choice stands in the address, so that the dashboard can lead to what has failed.
  const [params, setParams] = useSearchParams();
  const status = params.get('status') ?? '';
  const setStatus = (next: string) => setParams(next ? { status: next } : {}, { replace: true });
  const feed = useFeed({
    name: 'tasks',
    load: tasks,
    query: status ? { status } : {},
    every: (rows) => !rows.every(hasEnded) && 3000,
  });

  async function act(work: () => Promise<unknown>) {
    try {
      await work();
      feed.refresh();
    } catch (error) {
      toast.error(errorText(error, t));
    }
  }

  return (
    <PanelPage title={t('admin.pages.tasks')} intro={t('ops.tasks.intro')}>
      <div className={styles.part}>
        <div className={styles.row}>
          <SelectField
            label={t('ops.tasks.status')}
            value={status}
            onChange={(event) => setStatus(event.target.value)}
            choices={[
              { value: '', label: t('ops.all') },
              { value: 'pending,running,interrupted', label: t('ops.tasks.open') },
              { value: 'failed,partial', label: t('ops.tasks.state.failed') },
              { value: 'completed', label: t('ops.tasks.state.completed') },
            ]}
          />
          <Button icon={<RefreshCw size={18} aria-hidden="true" />} onClick={feed.refresh}>
            {t('ops.refresh')}
          </Button>
        </div>
        <Feed feed={feed}>
          {(rows) => (
            <Table
              label={t('admin.pages.tasks')}
              rows={rows}
              keyOf={(task) => task.id}
              columns={[
                { label: t('ops.tasks.what'), long: true, render: (task) => `${task.type}: ${task.title}` },
                {
                  label: t('ops.tasks.status'),
                  render: (task) => (
                    <span className={task.status === 'failed' ? styles.bad : ''}>
                      {t(`ops.tasks.state.${task.status}`)}
                      {task.error && ` — ${task.error.message}`}
                    </span>
                  ),
                },
                {
                  label: t('ops.tasks.progress'),
                  render: (task) => (
                    <span>
                      <progress max={100} value={task.progress} aria-label={t('ops.tasks.progress')} />{' '}
                      {task.progress}% {task.bytes.total > 0 && formatSize(task.bytes.done, language)}
                    </span>
                  ),
                },
                { label: t('ops.time'), render: (task) => <Time value={task.created_at} /> },
                {
                  label: t('ops.tasks.actions'),
                  render: (task) => (
                    <div className={styles.actions}>
                      {!hasEnded(task) && (
                        <Button onClick={() => void act(() => api.post(`/fs/tasks/${task.id}/cancel`))}>
                          {t('ops.tasks.cancel')}
                        </Button>
                      )}
                      {['failed', 'partial', 'cancelled'].includes(task.status) && (
                        <Button onClick={() => void act(() => api.post(`/fs/tasks/${task.id}/retry`))}>
                          {t('ops.tasks.retry')}
                        </Button>
                      )}
                      {hasEnded(task) && (
                        <Button onClick={() => void act(() => api.del(`/fs/tasks/${task.id}`))}>
                          {t('ops.tasks.forget')}
                        </Button>
                      )}
                    </div>
                  ),
                },
              ]}
            />
          )}
        </Feed>
      </div>
    </PanelPage>
  );
}
