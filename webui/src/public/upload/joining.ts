import { createCollection } from '../../api/collections';
import type { Collection, FileRow } from '../../api/types';
import { atSignOut } from '../../shared/atSignOut';
import { filesChanged } from '../../shared/query/files';
import { expiresInHours, maxViewsOf, type ShareValues } from '../../shared/shareform';
import { severalOf, type Several } from '../../shared/several';
import { uploads } from '../../shared/uploader/uploads';
import { latchOf } from '../../shared/visits/latch';
import { makeStore } from '../../store';

/** joined are the links that were made for several files on this page, the last one first. */
export const joined = makeStore<readonly Collection[]>([]);

atSignOut(() => joined.set([]));

/** join makes one link for files that were shared, under the terms of the form; their own links end, and they leave the list. */
export async function join(
  files: readonly { id: number; file: FileRow }[],
  values: ShareValues,
  several: Several,
): Promise<void> {
  const made = await createCollection({
    file_ids: files.map(({ file }) => file.id),
    expires_in: expiresInHours(values, new Date()),
    max_views: maxViewsOf(values),
    ...latchOf(values),
    ...severalOf(several),
    ...(values.remark.trim() && { title: values.remark.trim() }),
    ...(values.slug.trim() && { slug: values.slug.trim() }),
    ...(values.password && { password: values.password }),
  });
  files.forEach(({ id }) => uploads.remove(id));
  joined.set([made, ...joined.get()]);
  void filesChanged();
}
