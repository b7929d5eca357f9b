import { ApiError } from '../../api/client';
import { getTask, type TaskDetails } from '../../api/fs';
import { hasEnded } from '../../shared/query/tasks';
import { makeStore } from '../../store';

/** Milliseconds between two looks at a task. */
const every = 800;

const running = makeStore<ReadonlySet<string>>(new Set());

function change(edit: (next: Set<string>) => void) {
  const next = new Set(running.get());
  edit(next);
  running.set(next);
}

/** work knows the tasks that this tab has begun and that still run. */
export const work = {
  get: running.get,
  subscribe: running.subscribe,

  /** follow waits for a task's end; undefined when its state cannot be learned any more. */
  async follow(id: string): Promise<TaskDetails | undefined> {
    change((next) => next.add(id));
    try {
      for (;;) {
        const task = await getTask(id).catch((error: unknown) => {
          // A bad line is no news about the task; a refusal is.
          if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error;
          return undefined;
        });
        if (task && hasEnded(task)) return task;
        await new Promise((resolve) => setTimeout(resolve, every));
      }
    } catch {
      return undefined;
    } finally {
      change((next) => next.delete(id));
    }
  },
};
