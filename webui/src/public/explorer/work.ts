import { QueryObserver } from '@tanstack/react-query';
import { ApiError } from '../../api/client';
import type { TaskDetails } from '../../api/fs';
import { queryClient } from '../../shared/query/client';
import { followedQuery, hasEnded } from '../../shared/query/tasks';
import { makeStore } from '../../store';

/** running counts the tasks that this tab has begun and that still run. */
export const running = makeStore(0);

/** follow waits for a task's end; undefined when its state cannot be learned any more. */
export async function follow(id: string): Promise<TaskDetails | undefined> {
  running.set(running.get() + 1);
  const observer = new QueryObserver(queryClient, followedQuery(id));
  const ended = await new Promise<TaskDetails | undefined>((resolve) => {
    observer.subscribe(({ data, error, isFetching }) => {
      if (isFetching) return;
      // A bad line is no news about the task; a refusal is.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) resolve(undefined);
      else if (!error && data && hasEnded(data)) resolve(data);
    });
  });
  observer.destroy();
  running.set(running.get() - 1);
  return ended;
}
