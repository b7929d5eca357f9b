import { ApiError } from '../../api/errors';
import type { SentFile } from '../../api/requests';
import type { CommittedFile } from '../../api/types';
import { atSignOut } from '../atSignOut';
import { moving, movingAt } from '../moving';
import { filesChanged } from '../query/files';
import { reasonToStay } from '../unsaved';
import { begunOf, discardBegun } from './begun';
import { UploadError } from './errors';
import { keepAwake } from './keepAwake';
import type { MountTarget } from './mount';
import { inPartsFrom } from './parts';
import { percentOf, UploadQueue, type Destination, type UploadItem } from './queue';

/** Arrived is what a file has become: a share, a file in a mount, or one that was sent to a request. */
export type Arrived = CommittedFile | MountTarget | SentFile;

/** An Upload is one file of this tab's list, whatever it is to become. */
export type Upload = UploadItem<Arrived>;

/**
 * uploads is the one list of this tab, of shares and of files on their way into
 * mounts and to requests. It outlives the pages, so that a transfer goes on while its owner
 * looks at something else.
 */
export const uploads = new UploadQueue<Arrived>();

/** shareOf is the share that a file has become. */
export const shareOf = ({ result }: Upload): CommittedFile | undefined =>
  result && 'slug' in result ? result : undefined;

/** sentOf is the file that was sent to a request, as its sender sees it. */
export const sentOf = ({ result }: Upload): SentFile | undefined =>
  result && 'part_count' in result ? result : undefined;

/** hasBegun says that a file is sent, or was. */
export const hasBegun = ({ status, queued }: Upload): boolean => status !== 'pending' || queued;

/** isMoving says that a file is sent, waits for its turn, or is paused. */
export const isMoving = ({ status, queued }: Upload): boolean =>
  status === 'uploading' || status === 'paused' || queued;

/** listedAt are the files that a page for one destination lists: its own, and those of the others that are on their way. */
export const listedAt = (to: Destination, items: readonly Upload[]): Upload[] =>
  items.filter((item) => item.to === to || (hasBegun(item) && item.status !== 'success'));

/** goesInParts says whether a file is sent in parts, and so can be paused without losing what has arrived. */
export const goesInParts = (file: File): boolean => file.size >= inPartsFrom;

/** canPause says whether a file that is sent can be paused: what is small becomes a share at once or not at all. */
export const canPause = ({ file, to }: Upload): boolean =>
  to === 'mount' || to === 'request' || goesInParts(file);

/** stopUpload cancels a file; what has arrived of a paused one is deleted, too. */
export function stopUpload(id: number): void {
  const item = uploads.get().items.find((one) => one.id === id);
  const begun = item?.status === 'paused' ? begunOf(item.file) : undefined;
  uploads.cancel(id);
  // When the server cannot be told now, it stays on the list of unfinished ones.
  if (begun) void discardBegun(begun, item?.file).catch(() => undefined);
}

/** isCut says that no answer came at all. */
function isCut(error: unknown): boolean {
  if (error instanceof ApiError) return error.failure === 'network' || error.failure === 'timeout';
  if (!(error instanceof UploadError) || error.status !== 0) return false;
  return error.failure === 'network' || error.failure === 'timeout' || error.failure === 'parts';
}

// What a lost network has cut goes on by itself when it is back.
addEventListener('online', () => {
  for (const { id, status, error } of uploads.get().items)
    if (status === 'unregistered' || (status === 'error' && isCut(error))) uploads.retry(id);
});

// A share that has arrived is one of the newest files.
let arrived = 0;
uploads.subscribe(() => {
  const { length } = uploads.get().items.filter(shareOf);
  if (length > arrived) void filesChanged();
  arrived = length;
});

// On whatever page they are meanwhile.
let rest: (() => void) | undefined;
uploads.subscribe(() => {
  const { active, bytes, sent } = uploads.get().totals;
  moving.set(active ? percentOf(sent, bytes) : null);
  // Who sends to a request may have no right to the upload page.
  const now = uploads.get().items.find(({ status, queued }) => status === 'uploading' || queued);
  if (now) movingAt.set(now.to === 'request' ? `/r/${now.folder}` : '/upload');
  if (active) rest ??= keepAwake();
  else {
    rest?.();
    rest = undefined;
  }
});

// What is sent goes on behind other pages.
reasonToStay({ holds: () => uploads.get().items.some(isMoving) });

atSignOut(() => uploads.reset());
