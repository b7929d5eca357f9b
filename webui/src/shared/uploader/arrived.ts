import type { FileRow } from '../../api/types';
import { shareOf, uploads } from './uploads';

/** arrived waits until every one of these uploads has arrived or was taken off the list, and names those that arrived. */
export function arrived(ids: readonly number[]): Promise<{ id: number; file: FileRow }[]> {
  return new Promise((resolve) => {
    const look = () => {
      const left = uploads.get().items.filter(({ id }) => ids.includes(id));
      const done = left.flatMap((item) => {
        const file = shareOf(item);
        return file ? [{ id: item.id, file }] : [];
      });
      if (done.length < left.length) return false;
      resolve(done);
      return true;
    };
    if (look()) return;
    const leave = uploads.subscribe(() => {
      if (look()) leave();
    });
  });
}
