import { copy, move, type Conflict, type Entry } from '../../api/fs';
import { useT } from '../../i18n';
import { foldersChanged } from '../../shared/query/folders';
import { toast } from '../../shared/ui';
import { join } from './place';
import { useFollow } from './useFollow';

/**
 * useTransfer copies or moves entries into a folder as a task of the server.
 * The first answer says that it has begun; `done` in it waits for the end.
 */
export function useTransfer() {
  const t = useT();
  const follow = useFollow();
  return async (deed: 'copy' | 'move', entries: readonly Entry[], target: string, conflict: Conflict) => {
    const items = entries.map(({ path, name, isDirectory }) => ({
      sourcePath: path,
      targetPath: join(target, name) + (isDirectory ? '/' : ''),
    }));
    const { taskId } = await (deed === 'copy' ? copy(items, conflict) : move(items, conflict));
    toast.info(t(`explorer.target.started.${deed}`));
    // Whoever looks at the target meanwhile sees what has arrived.
    const done = follow(taskId, deed).then(() => void foldersChanged());
    return { done };
  };
}
