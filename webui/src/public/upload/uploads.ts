import { authEvents } from '../../api/credentials';
import { ApiError } from '../../api/errors';
import type { CommittedFile, PresignRequest } from '../../api/types';
import { session } from '../../auth/session';
import { filesChanged } from '../../shared/query/files';
import { expiresInHours, maxViewsOf, type ShareValues } from '../../shared/shareform';
import { inPartsFrom, shareFile, UploadQueue, type Transfer } from '../../shared/uploader';
import type { Begun } from '../../shared/uploader/begun';
import { UploadError } from '../../shared/uploader/errors';
import { keepAwake } from '../../shared/uploader/keepAwake';
import { adopt, begunOf, discardBegun, shareInParts } from '../../shared/uploader/shareParts';
import type { Placement } from './usePlacement';

/**
 * uploads is the list of this tab. It outlives the page, so that a transfer
 * goes on while its owner looks at something else.
 */
export const uploads = new UploadQueue<CommittedFile>();

/** Terms are the settings all files of one run share. */
export type Terms = Omit<PresignRequest, 'filename' | 'size' | 'mimetype'>;

/** termsOf reads the forms of the page. */
export function termsOf(values: ShareValues, { config, path, useProxy }: Placement): Terms {
  return {
    s3_config_id: config,
    use_proxy: useProxy,
    expires_in: expiresInHours(values, new Date()),
    max_views: maxViewsOf(values),
    ...(path.trim() && { path: path.trim() }),
    ...(values.slug.trim() && { slug: values.slug.trim() }),
    ...(values.remark.trim() && { remark: values.remark.trim() }),
    ...(values.password && { password: values.password }),
  };
}

/** transferWith moves files under these terms. A custom link becomes a prefix when there are several. */
export function transferWith(terms: Terms): Transfer<CommittedFile> {
  return (item, { index, count }, hooks) => {
    const folders = [terms.path ?? '', item.folder].filter(Boolean);
    const request = {
      ...terms,
      filename: item.name,
      size: item.file.size,
      mimetype: typeOf(item.name, item.file.type),
      ...(folders.length > 0 && { path: folders.join('/') }),
      ...(terms.slug && { slug: count > 1 ? `${terms.slug}-${index + 1}` : terms.slug }),
    };
    return goesInParts(item.file)
      ? shareInParts(item.file, request, hooks)
      : shareFile(item.file, request, hooks);
  };
}

/** goesInParts says whether a file is sent in parts, and so can be paused without losing what has arrived. */
export const goesInParts = (file: File): boolean => file.size >= inPartsFrom;

/** goOn sends the rest of a file that was begun before a reload, under the terms it was begun with. */
export function goOn(file: File, begun: Begun): void {
  adopt(file, begun);
  for (const twin of uploads.add([{ file }])) dropTwin(twin);
  if (!itemOf(file)) uploads.add([{ file }]);
  const item = itemOf(file);
  if (!item) return; // it is being sent already
  uploads.rename(item.id, begun.name);
  uploads.start((one, _, hooks) => shareInParts(one.file, undefined, hooks), [item.id]);
}

const itemOf = (file: File) => uploads.get().items.find((one) => one.file === file);

function dropTwin({ name, size, lastModified }: File) {
  for (const { id, file } of uploads.get().items) {
    if (file.name === name && file.size === size && file.lastModified === lastModified) uploads.remove(id);
  }
}

/** stop cancels a file; what has arrived of a paused one is deleted, too. */
export function stop(id: number): void {
  const item = uploads.get().items.find((one) => one.id === id);
  const begun = item?.status === 'paused' ? begunOf(item.file) : undefined;
  uploads.cancel(id);
  // When the server cannot be told now, it stays on the list of unfinished ones.
  if (begun) void discardBegun(begun).catch(() => undefined);
}

/** typeOf is the media type sent for a file (§5): Markdown by its extension, else what the browser says. */
export function typeOf(name: string, type: string): string {
  if (/\.(?:md|markdown|mdown|mkd|mdwn|mdtxt|mdtext|rmd)$/i.test(name)) return 'text/markdown';
  return type || 'application/octet-stream';
}

// What a lost network has cut goes on by itself when it is back.
addEventListener('online', () => {
  for (const { id, status, error } of uploads.get().items)
    if (status === 'unregistered' || (status === 'error' && isCut(error))) uploads.retry(id);
});

/** isCut says that no answer came at all. */
function isCut(error: unknown): boolean {
  if (error instanceof ApiError) return error.failure === 'network' || error.failure === 'timeout';
  if (!(error instanceof UploadError) || error.status !== 0) return false;
  return error.failure === 'network' || error.failure === 'timeout' || error.failure === 'parts';
}

// What has arrived is one of the newest files.
let arrived = 0;
uploads.subscribe(() => {
  const { done } = uploads.get().totals;
  if (done > arrived) void filesChanged();
  arrived = done;
});

// On whatever page they are meanwhile.
let rest: (() => void) | undefined;
uploads.subscribe(() => {
  const { active } = uploads.get().totals;
  if (active) rest ??= keepAwake();
  else {
    rest?.();
    rest = undefined;
  }
});

addEventListener('beforeunload', (event) => {
  const { items, totals } = uploads.get();
  if (totals.active || items.some(({ status }) => status === 'paused')) event.preventDefault();
});

// Whose files these were is nobody's business after sign-out.
addEventListener(authEvents.changed, () => {
  if (session().kind === 'none') uploads.reset();
});
