import { listStorageConfigs } from '../../api/storage';
import type { PresignRequest, StorageConfig } from '../../api/types';
import { readStored } from '../../config';
import { atSignOut } from '../atSignOut';
import { isMarkdown } from '../preview/kind';
import { uploadToMount, type MountTarget } from './mount';
import type { Transfer } from './queue';
import { shareFile } from './share';
import { shareInParts } from './shareParts';
import { goesInParts, type Arrived, type Upload } from './uploads';

/** usualStorage is the storage that was used last, else the default; undefined when there is none. */
export async function usualStorage(): Promise<StorageConfig | undefined> {
  const configs = await listStorageConfigs();
  const last = readStored('pp.uploadStorage');
  return (
    configs.find(({ id }) => id === last) ?? configs.find(({ is_default }) => is_default === 1) ?? configs[0]
  );
}

/** Terms are the settings all files of one run share. */
export type Terms = Omit<PresignRequest, 'filename' | 'size' | 'mimetype'>;

/** shareUnder shares files under these terms. A custom link becomes a prefix when there are several. */
export function shareUnder({ slug, path, ...terms }: Terms): Transfer<Arrived> {
  return ({ file, name, folder }, { index, count }, hooks) => {
    const folders = [path, folder].filter(Boolean).join('/');
    const request: PresignRequest = {
      ...terms,
      filename: name,
      size: file.size,
      mimetype: typeOf(name, file.type),
      ...(folders && { path: folders }),
      ...(slug && { slug: count > 1 ? `${slug}-${index + 1}` : slug }),
    };
    return goesInParts(file) ? shareInParts(file, request, hooks) : shareFile(file, request, hooks);
  };
}

/** typeOf is the media type sent for a file (§5): Markdown by its extension, else what the browser says. */
export function typeOf(name: string, type: string): string {
  return isMarkdown(name) ? 'text/markdown' : type || 'application/octet-stream';
}

/** refusals remembers whether a storage has let this page in; its administrators are told. */
export const refusals = { seen: false };
atSignOut(() => (refusals.seen = false));

/** sendToMount moves files to the folders they were put on the list for, in the ways that somebody has chosen. */
export const sendToMount =
  (wayOf: (item: Upload) => Pick<MountTarget, 'method' | 'resume'> = () => ({})): Transfer<Arrived> =>
  (item, _, hooks) =>
    uploadToMount(
      item.file,
      { folder: item.folder, name: item.name, ...wayOf(item) },
      { ...hooks, onRefused: () => (refusals.seen = true) },
    );
