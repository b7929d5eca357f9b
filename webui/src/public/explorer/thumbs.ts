import { queryOptions } from '@tanstack/react-query';
import { authHeaders } from '../../api/client';
import { bytesUrl, thumbnailUrl, type Entry } from '../../api/fs';
import { keepPicture, recallPicture } from '../../shared/offline/pictures';
import { extensionOf } from '../../shared/preview/kind';
import { queryClient } from '../../shared/query/client';

/** A picture that the server does not shrink is fetched whole by itself up to this size, in bytes. */
const largestByItself = 8 << 20;

/** Pictures that the server shrinks, up to a size in bytes. */
const thumbnailed = new Set(['jpg', 'jpeg', 'jpe', 'jfif', 'png', 'gif']);
const largestShrunk = 64 << 20;

/** The longer side of a small picture, in px. */
const side = 640;

/** Pictures that are fetched at once. */
const atOnce = 6;

/** Small pictures that are kept besides those that are shown. */
const most = 400;

const thumbs = ['thumb'];

/**
 * thumbQuery is the address of an entry's small picture, which the server makes, or this device where the server does
 * not; "" of one that is not fetched before it is `asked` for, for its size.
 */
export const thumbQuery = (entry: Entry, asked = false) =>
  queryOptions({
    queryKey: [...thumbs, entry.path, entry.etag ?? '', entry.modified ?? ''],
    queryFn: ({ signal }) => inTurn(signal, () => make(entry, asked, signal)),
    staleTime: Infinity,
    gcTime: Infinity,
  });

/** fetchThumb fetches a picture however large it is, and however it went before. */
export const fetchThumb = (entry: Entry) =>
  void queryClient.fetchQuery({ ...thumbQuery(entry, true), staleTime: 0 }).catch(() => undefined);

const urls = new Map<string, string>();
const cache = queryClient.getQueryCache();
cache.subscribe(({ type, query: { queryKey, queryHash, state } }) => {
  if (queryKey[0] !== thumbs[0]) return;
  const now = type === 'removed' ? undefined : (state.data as string | undefined);
  const before = urls.get(queryHash);
  if (before && before !== now) URL.revokeObjectURL(before);
  if (now) urls.set(queryHash, now);
  else urls.delete(queryHash);
  if (type !== 'observerRemoved') return;
  const idle = cache.findAll({ queryKey: thumbs, type: 'inactive' });
  for (const old of idle.slice(0, Math.max(0, idle.length - most))) cache.remove(old);
});

const waiting: (() => void)[] = [];
let free = atOnce;

/** inTurn runs few at a time. What was asked for last is on the screen now, so it comes first. */
async function inTurn<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    signal.throwIfAborted();
    return await run();
  } finally {
    const next = waiting.pop();
    if (next) next();
    else free++;
  }
}

async function make(entry: Entry, asked: boolean, signal: AbortSignal): Promise<string> {
  const kept = await recallPicture(entry).catch(() => undefined);
  const found = kept ?? (await fetchSmall(entry, signal)) ?? (await fetchWhole(entry, asked, signal));
  if (!found) return '';
  const url = URL.createObjectURL(found);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    signal.throwIfAborted();
  } catch (error) {
    URL.revokeObjectURL(url);
    throw error;
  }
  if (!kept) void keepPicture(entry, found).catch(() => undefined);
  return url;
}

/** fetchSmall asks the server for a small picture; undefined when it makes none of this file. */
async function fetchSmall({ path, size }: Entry, signal: AbortSignal): Promise<Blob | undefined> {
  if (!thumbnailed.has(extensionOf(path)) || (size ?? 0) > largestShrunk) return undefined;
  const response = await ask(thumbnailUrl(path, side), signal);
  return response.status === 415 ? undefined : bodyOf(response);
}

/** fetchWhole makes a small picture of the original; undefined when that is too large to be fetched unasked. */
async function fetchWhole({ path, size }: Entry, asked: boolean, signal: AbortSignal) {
  if ((size ?? 0) > largestByItself && !asked) return undefined;
  return shrunk(await bodyOf(await ask(bytesUrl(path), signal)));
}

const ask = (url: string, signal: AbortSignal) =>
  fetch(url, { headers: authHeaders(), signal, priority: 'low' });

function bodyOf(response: Response): Promise<Blob> {
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.blob();
}

/** shrunk keeps little of a picture; what cannot be decoded here, such as SVG, is kept as it is. */
async function shrunk(blob: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(blob).catch(() => undefined);
  const scale = bitmap ? side / Math.max(bitmap.width, bitmap.height) : 1;
  if (!bitmap || scale >= 1) return blob;
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const small = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/webp', 0.82));
  return small ?? blob;
}
