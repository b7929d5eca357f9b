import { queryOptions } from '@tanstack/react-query';
import { getTask, listTasks, type Task } from '../../api/fs';
import { listFetches } from '../../api/urls';
import { filesChanged } from './files';
import { queryClient } from './client';

/** Milliseconds between two looks while something runs. */
const every = 1500;

/** Milliseconds between two looks at a task that somebody waits for. */
const soon = 800;

const ended = ['completed', 'partial', 'failed', 'cancelled'];

/** hasEnded says whether a task will not change any more. */
export const hasEnded = ({ status }: { status: string }) => ended.includes(status);

/** lists is the key of every list of tasks. */
const lists = ['tasks'];

/** tasksChanged has the lists of tasks on the screen read again. */
export const tasksChanged = () => queryClient.invalidateQueries({ queryKey: lists });

/** A list is looked at again and again while something in it runs; a failure ends that until it is read anew. */
const whileRunning = ({
  state: { status, data },
}: {
  state: { status: string; data?: Task[] | undefined };
}) => status === 'success' && !data?.every(hasEnded) && every;

/** tasksQuery is what the server does for this visitor in the background. */
export const tasksQuery = queryOptions({
  queryKey: [...lists, 'all'],
  queryFn: async ({ signal }) => (await listTasks(signal)).tasks,
  refetchInterval: whileRunning,
});

/** fetchesQuery is what the server brings from other sites; one that has ended is a new file of its owner. */
export const fetchesQuery = queryOptions({
  queryKey: [...lists, 'fetches'],
  queryFn: async ({ signal, client, queryKey }) => {
    const before = client.getQueryData<Task[]>(queryKey);
    const { tasks } = await listFetches(signal);
    const knew = (id: string) => before?.some((one) => one.id === id && one.status === 'completed');
    if (before && tasks.some(({ id, status }) => status === 'completed' && !knew(id))) void filesChanged();
    return tasks;
  },
  refetchInterval: whileRunning,
});

/** followedQuery is a task that somebody waits for, on the screen or not: it is looked at until nobody does any more. */
export const followedQuery = (id: string) =>
  queryOptions({
    queryKey: ['task', id],
    queryFn: ({ signal }) => getTask(id, signal),
    refetchInterval: soon,
    refetchIntervalInBackground: true,
  });

/** taskItemsQuery is the states of a task's files, what failed first; step changes when there is news. */
export const taskItemsQuery = (id: string, step: string) =>
  queryOptions({
    queryKey: ['task', id, step],
    queryFn: async ({ signal }) => {
      const { current, results } = await getTask(id, signal);
      const failed = results.filter((item) => item.status === 'failed');
      return [...current, ...failed, ...results.filter((item) => item.status !== 'failed')];
    },
  });
