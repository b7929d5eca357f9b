import type { Translate } from '../../i18n';
import { expiresInHours, maxViewsOf, type ShareValues } from '../../shared/shareform';
import { saveTelling } from '../../shared/shareform/saveTelling';
import { toast } from '../../shared/ui';
import { arrived } from '../../shared/uploader/arrived';
import { shareUnder, usualStorage } from '../../shared/uploader/transfers';
import { uploads, type Upload } from '../../shared/uploader/uploads';
import { latchOf } from '../../shared/visits/latch';
import { saving } from './tray';

/** waiting are the files of the list that are to be shared and have not been sent. */
export const waiting = (): Upload[] =>
  uploads.get().items.filter(({ to, status, queued }) => to === 'share' && status === 'pending' && !queued);

/** addFiles puts files on this tab's list of uploads; those that are there already are named. */
export function addFiles(files: readonly File[], t: Translate): void {
  const twice = uploads.add(files.map((file) => ({ file })));
  for (const { name } of twice) toast.info(t('homeMore.files.twice', { name }));
}

/** sendFiles shares what waits, each file by a link of its own, in the storage that was used last, else the default. */
export async function sendFiles(values: ShareValues, t: Translate): Promise<void> {
  const ids = waiting().map(({ id }) => id);
  const storage = await usualStorage();
  if (!storage) toast.error(t('editor.attaching.noStorage'));
  else {
    const { password, tell } = values;
    for (const id of ids) {
      uploads.ask(id, { password, tell });
      if (tell) void tellOnce(id, password, t);
    }
    uploads.start(
      shareUnder({
        s3_config_id: storage.id,
        expires_in: expiresInHours(values, new Date()),
        max_views: maxViewsOf(values),
        ...latchOf(values),
        slug: values.slug.trim(),
        ...(values.remark.trim() && { remark: values.remark.trim() }),
        ...(password && { password }),
      }),
      ids,
    );
  }
}

/** tellOnce has its owner told when a file is opened, once it has arrived. */
async function tellOnce(id: number, password: string, t: Translate): Promise<void> {
  saving.set([...saving.get(), id]);
  for (const { file } of await arrived([id]))
    uploads.ask(id, { password, tell: await saveTelling(file.id, true, t) });
  saving.set(saving.get().filter((other) => other !== id));
}
