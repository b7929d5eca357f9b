import type { FileRow } from '../../../api/types';
import type { Translate } from '../../../i18n';
import { toast } from '../../../shared/ui';
import { arrived } from '../../../shared/uploader/arrived';
import { shareUnder, usualStorage } from '../../../shared/uploader/transfers';
import { uploads } from '../../../shared/uploader/uploads';

/** send puts files on this tab's list of uploads and answers those that have arrived, when all are through. */
export async function send(files: readonly File[], t: Translate): Promise<FileRow[]> {
  const storage = await usualStorage();
  if (!storage) {
    toast.error(t('collectionEdit.noStorage'));
    return [];
  }
  const before = new Set(uploads.get().items.map(({ id }) => id));
  const twice = uploads.add(files.map((file) => ({ file })));
  for (const { name } of twice) toast.info(t('collectionEdit.twice', { name }));
  const ids = uploads.get().items.flatMap(({ id }) => (before.has(id) ? [] : [id]));
  uploads.start(shareUnder({ s3_config_id: storage.id }), ids);
  const done = await arrived(ids);
  done.forEach(({ id }) => uploads.remove(id));
  return done.map(({ file }) => file);
}
