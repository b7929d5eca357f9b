import { authHeaders } from '../../api/client';
import { bytesUrl, type Entry } from '../../api/fs';
import { onOtherAccount } from './account';

/** A picture up to this size, in bytes, is fetched for its small picture by itself. */
export const largestByItself = 8 << 20;

/** The longer side of a small picture, in px. */
const side = 640;

/** Pictures that are fetched at once. */
const atOnce = 6;

/** Small pictures that are kept. */
const most = 400;

/** A Thumb is the small picture of an entry. */
export interface Small {
  status: 'waiting' | 'loading' | 'ready' | 'failed';
  /** url of the picture when it is ready. */
  url: string;
  /** ratio is width by height. */
  ratio: number;
}

interface Job {
  entry: Entry;
  small: Small;
  stop: AbortController;
  /** wanted counts who shows it; nobody's picture is not fetched. */
  wanted: number;
}

const waiting: Small = { status: 'waiting', url: '', ratio: 0 };
const jobs = new Map<string, Job>();
const listeners = new Set<() => void>();
let running = 0;

const keyOf = ({ path, etag, modified }: Entry) => [path, etag ?? '', modified ?? ''].join(' ');

function tell() {
  for (const listener of listeners) listener();
}

function set(key: string, change: Partial<Small>) {
  const job = jobs.get(key);
  if (!job) return;
  job.small = { ...job.small, ...change };
  tell();
}

/** What was asked for last is on the screen now, so it comes first. */
function pump() {
  for (const [key, job] of [...jobs].reverse()) {
    if (running >= atOnce) return;
    if (job.small.status === 'waiting' && job.wanted > 0) void load(key, job);
  }
}

async function load(key: string, job: Job) {
  running++;
  job.stop = new AbortController();
  set(key, { status: 'loading' });
  try {
    const response = await fetch(bytesUrl(job.entry.path), {
      headers: authHeaders(),
      signal: job.stop.signal,
      priority: 'low',
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const { blob, ratio } = await shrink(await response.blob());
    set(key, { status: 'ready', url: URL.createObjectURL(blob), ratio });
    forgetOld();
  } catch {
    set(key, { status: job.stop.signal.aborted ? 'waiting' : 'failed' });
  } finally {
    running--;
    pump();
  }
}

/** shrink keeps little of a picture; what cannot be decoded here, such as SVG, is measured and kept as it is. */
async function shrink(blob: Blob): Promise<{ blob: Blob; ratio: number }> {
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
  if (job.small.url) URL.revokeObjectURL(job.small.url);
  jobs.delete(key);
}

/** thumbs makes small pictures of originals, which the server has none of: few at a time, for what is seen. */
export const thumbs = {
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  get: (entry: Entry): Small => jobs.get(keyOf(entry))?.small ?? waiting,

  /** want asks for a picture; the answer says that it is not shown any more. */
  want(entry: Entry): () => void {
    const key = keyOf(entry);
    const job = jobs.get(key) ?? { entry, small: waiting, stop: new AbortController(), wanted: 0 };
    jobs.delete(key);
    jobs.set(key, job);
    job.wanted++;
    pump();
    return () => {
      job.wanted--;
      if (job.wanted === 0 && job.small.status === 'loading') job.stop.abort();
    };
  },

  retry(entry: Entry) {
    set(keyOf(entry), { status: 'waiting' });
    pump();
  },
};

onOtherAccount(() => {
  for (const [key, job] of jobs) drop(key, job);
  tell();
});
