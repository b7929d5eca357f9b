import { listStorageConfigs } from '../../api/storage';
import type { PresignRequest } from '../../api/types';
import { readStored } from '../../config';
import type { Translate } from '../../i18n';
import { expiresInHours, maxViewsOf, type ShareValues } from '../../shared/shareform';
import { toast } from '../../shared/ui';
import { shareFile, type Transfer } from '../../shared/uploader';
import { shareInParts } from '../../shared/uploader/shareParts';
import { goesInParts, uploads, type Arrived, type Upload } from '../../shared/uploader/uploads';

/** waiting are the files of the list that are to be shared and have not been sent. */
export const waiting = (): Upload[] =>
  uploads.get().items.filter(({ to, status, queued }) => to === 'share' && status === 'pending' && !queued);

/** passwords are those that files were sent with, by the id on the list; whoever has made a share can hand it on. */
export const passwords = new Map<number, string>();

/** addFiles puts files on this tab's list of uploads; those that are there already are named. */
export function addFiles(files: readonly File[], t: Translate): void {
  const twice = uploads.add(files.map((file) => ({ file })));
  for (const { name } of twice) toast.info(t('homeMore.files.twice', { name }));
}

/** sendFiles shares what waits, each file by a link of its own, in the storage that was used last, else the default. */
export async function sendFiles(values: ShareValues, t: Translate): Promise<void> {
  const ids = waiting().map(({ id }) => id);
  const configs = await listStorageConfigs();
  const last = readStored('pp.uploadStorage');
  const storage =
    configs.find(({ id }) => id === last) ?? configs.find(({ is_default }) => is_default === 1) ?? configs[0];
  if (!storage) toast.error(t('editor.attaching.noStorage'));
  else {
    for (const id of ids) passwords.set(id, values.password);
    uploads.start(transferWith(storage.id, values), ids);
  }
}

/** transferWith moves files under the terms of the form. A custom link becomes a prefix when there are several. */
function transferWith(storage: string, values: ShareValues): Transfer<Arrived> {
  const slug = values.slug.trim();
  const terms = {
    s3_config_id: storage,
    expires_in: expiresInHours(values, new Date()),
    max_views: maxViewsOf(values),
    ...(values.remark.trim() && { remark: values.remark.trim() }),
    ...(values.password && { password: values.password }),
  };
  return ({ file, name }, { index, count }, hooks) => {
    const request: PresignRequest = {
      ...terms,
      filename: name,
      size: file.size,
      mimetype: file.type || 'application/octet-stream',
      ...(slug && { slug: count > 1 ? `${slug}-${index + 1}` : slug }),
    };
    return goesInParts(file) ? shareInParts(file, request, hooks) : shareFile(file, request, hooks);
  };
}
