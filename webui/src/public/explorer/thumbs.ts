import { authHeaders } from '../../api/client';
import { bytesUrl, thumbnailUrl, type Entry } from '../../api/fs';
import { keepPicture, recallPicture, type Picture } from '../../shared/offline/pictures';
import { extensionOf } from '../../shared/preview/kind';
import { onOtherAccount } from '../../auth/otherAccount';
import { makeStore, useStore } from '../../store';

/** A picture that the server does not shrink is fetched whole by itself up to this size, in bytes. */
const largestByItself = 8 << 20;

/** Pictures that the server shrinks, up to a size in bytes. */
const thumbnailed = new Set(['jpg', 'jpeg', 'jpe', 'jfif', 'png', 'gif']);
const largestShrunk = 64 << 20;

/** The longer side of a small picture, in px. */
const side = 640;

/** Pictures that are fetched at once. */
const atOnce = 6;

/** Small pictures that are kept. */
const most = 400;

/** A Thumb is the small picture of an entry. */
export interface Small {
  /** status: a large one is not fetched before somebody asks. */
  status: 'waiting' | 'loading' | 'ready' | 'failed' | 'large';
  /** url of the picture when it is ready. */
  url: string;
  /** ratio is width by height. */
  ratio: number;
}

interface Job {
  entry: Entry;
  stop: AbortController;
  /** wanted counts who shows it; nobody's picture is not fetched. */
  wanted: number;
  /** asked says that somebody wants it however large it is. */
  asked?: boolean;
}

const waiting: Small = { status: 'waiting', url: '', ratio: 0 };
const jobs = new Map<string, Job>();
const smalls = makeStore<ReadonlyMap<string, Small>>(new Map());
let running = 0;

const keyOf = ({ path, etag, modified }: Entry) => [path, etag ?? '', modified ?? ''].join(' ');

const smallOf = (key: string): Small => smalls.get().get(key) ?? waiting;

function set(key: string, change: Partial<Small>) {
  if (jobs.has(key)) smalls.set(new Map(smalls.get()).set(key, { ...smallOf(key), ...change }));
}

/** What was asked for last is on the screen now, so it comes first. */
function pump() {
  for (const [key, job] of [...jobs].reverse()) {
    if (running >= atOnce) return;
    if (smallOf(key).status === 'waiting' && job.wanted > 0) void load(key, job);
  }
}

async function load(key: string, job: Job) {
  running++;
  job.stop = new AbortController();
  set(key, { status: 'loading' });
  try {
    const kept = await recallPicture(job.entry).catch(() => undefined);
    const found = kept ?? (await fetchSmall(job)) ?? (await fetchWhole(job));
    if (found && !kept) void keepPicture(job.entry, found).catch(() => undefined);
    if (found) set(key, { status: 'ready', url: URL.createObjectURL(found.blob), ratio: found.ratio });
    else set(key, { status: 'large' });
    forgetOld();
  } catch {
    set(key, { status: job.stop.signal.aborted ? 'waiting' : 'failed' });
  } finally {
    running--;
    pump();
  }
}

/** fetchSmall asks the server for a small picture; undefined when it makes none of this file. */
async function fetchSmall({ entry, stop }: Job) {
  if (!thumbnailed.has(extensionOf(entry.path)) || (entry.size ?? 0) > largestShrunk) return undefined;
  const response = await ask(thumbnailUrl(entry.path, side), stop.signal);
  if (response.status === 415) return undefined;
  if (!response.ok) throw new Error(`status ${response.status}`);
  const blob = await response.blob();
  return { blob, ratio: await ratioOf(blob) };
}

/** fetchWhole makes a small picture of the original; undefined when that is too large to be fetched unasked. */
async function fetchWhole({ entry, stop, asked }: Job) {
  if ((entry.size ?? 0) > largestByItself && !asked) return undefined;
  const response = await ask(bytesUrl(entry.path), stop.signal);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return thumbnail(await response.blob());
}

const ask = (url: string, signal: AbortSignal) =>
  fetch(url, { headers: authHeaders(), signal, priority: 'low' });

/** thumbnail keeps little of a picture; what cannot be decoded here, such as SVG, is measured and kept as it is. */
async function thumbnail(blob: Blob): Promise<Picture> {
  const bitmap = await createImageBitmap(blob).catch(() => undefined);
  if (!bitmap) return { blob, ratio: await ratioOf(blob) };
  const ratio = bitmap.width / bitmap.height;
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  if (scale === 1) return { blob, ratio };
  const small = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/webp', 0.82));
  return { blob: small ?? blob, ratio };
}

function ratioOf(blob: Blob): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = URL.createObjectURL(blob);
    const image = new Image();
    const end = (then: () => void) => {
      URL.revokeObjectURL(url);
      then();
    };
    image.onload = () => end(() => resolve(image.naturalWidth / image.naturalHeight || 1));
    image.onerror = () => end(() => reject(new Error('not a picture')));
    image.src = url;
  });
}

function forgetOld() {
  for (const [key, job] of jobs) {
    if (jobs.size <= most) return;
    if (job.wanted > 0) continue;
    drop(key, job);
  }
}

function drop(key: string, job: Job) {
  job.stop.abort();
  const { url } = smallOf(key);
  if (url) URL.revokeObjectURL(url);
  jobs.delete(key);
  smalls.set(new Map([...smalls.get()].filter(([other]) => other !== key)));
}

/** useSmall is the small picture of an entry, as far as it has come. */
export const useSmall = (entry: Entry): Small => useStore(smalls, (all) => all.get(keyOf(entry)) ?? waiting);

/** thumbs fetches small pictures, or makes them where the server does not: few at a time, for what is seen. */
export const thumbs = {
  get: (entry: Entry): Small => smallOf(keyOf(entry)),

  /** want asks for a picture; the answer says that it is not shown any more. */
  want(entry: Entry): () => void {
    const key = keyOf(entry);
    const job = jobs.get(key) ?? { entry, stop: new AbortController(), wanted: 0 };
    jobs.delete(key);
    jobs.set(key, job);
    job.wanted++;
    pump();
    return () => {
      job.wanted--;
      if (job.wanted === 0 && smallOf(key).status === 'loading') job.stop.abort();
    };
  },

  retry(entry: Entry) {
    set(keyOf(entry), { status: 'waiting' });
    pump();
  },

  /** ask fetches a picture however large it is. */
  ask(entry: Entry) {
    const job = jobs.get(keyOf(entry));
    if (job) job.asked = true;
    thumbs.retry(entry);
  },
};

onOtherAccount(() => {
  for (const [key, job] of jobs) drop(key, job);
});
