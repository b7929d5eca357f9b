import { authEvents } from '../../api/credentials';
import { ApiError } from '../../api/errors';
import { abortFileParts, listFileParts, type FileParts } from '../../api/fileParts';
import { abortParts, listParts } from '../../api/fs';
import { session } from '../../auth/session';
import { ownPrefix, readStoredJson, writeStored } from '../../config';
import { makeStore, type Followed } from '../../store';
import { requestParts } from '../requests/parts';
import { md5 } from './md5';
import type { UploadedPart } from './multipart';
import { partSize } from './parts';
import type { Destination } from './queue';

/** Lasting is what a file can still become after a reload: its text is another one then. */
type Lasting = Exclude<Destination, 'text'>;

/**
 * Begun is an upload that this browser has begun and not ended, with what proves that a file is the same. One without
 * an upload ID goes whole: it begins anew.
 */
export interface Begun extends FileParts {
  id: string;
  /** page that sends it, or was the last to do so. */
  page: string;
  to: Lasting;
  /**
   * folder of a mount that it goes to, the whole path; "" for a share, whose record is file_id; for a request its slug,
   * where upload_id is the file's.
   */
  folder: string;
  /** name it arrives under; fileName is the one it has on this device. */
  name: string;
  fileName: string;
  /** bytes */
  size: number;
  modified: number;
  /** ends are the sums of the first and the last part; "" when it goes whole. */
  ends: string;
  owner: string;
  /** at is when it was begun, in milliseconds since 1970. */
  at: number;
}

// One entry for each, so that no two pages write the same one.
const prefix = `${ownPrefix}begun.`;

/** The server gives up what nobody finishes for so long, in milliseconds (§9). */
const keptFor = 7 * 24 * 3600_000;

const freshId = () => Date.now().toString(36) + Math.random().toString(36).slice(2, 10);
const ownPage = freshId();
const ownerNow = () => (session().kind === 'admin' ? 'admin' : session().id);

const texts = ['id', 'page', 'folder', 'file_id', 'upload_id', 'name', 'fileName', 'ends', 'owner'] as const;
const isBegun = (value: unknown): value is Begun => {
  const one = (value ?? {}) as Partial<Record<keyof Begun, unknown>>;
  return (
    texts.every((field) => typeof one[field] === 'string') &&
    ['share', 'mount', 'request'].some((to) => to === one.to) &&
    [one.size, one.modified, one.at].every((field) => typeof field === 'number')
  );
};

function storedKeys(start: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(start));
  } catch {
    return [];
  }
}

/** begunUploads are the unfinished uploads of who is signed in, the newest first; old ones are forgotten. */
export function begunUploads(): Begun[] {
  const found = storedKeys(prefix).flatMap((key) => {
    const one = readStoredJson(key, isBegun);
    if (one && Date.now() - one.at < keptFor) return one;
    writeStored(key, '');
    return [];
  });
  // What somebody has sent to a request before signing in is still theirs.
  const isOwn = ({ owner, to }: Begun) => owner === ownerNow() || (to === 'request' && owner === '');
  return found.filter(isOwn).toSorted((a, b) => b.at - a.at);
}

// The pages that are open, as far as they have answered. How long they are waited for, in milliseconds.
const open = new Set<string>();
const patience = 300;
let waiting: ReturnType<typeof setTimeout> | undefined;
const pages = 'BroadcastChannel' in globalThis ? new BroadcastChannel('pp-uploads') : undefined;
const left = makeStore<readonly Begun[]>([]);

pages?.addEventListener('message', ({ data }: MessageEvent<{ page?: string }>) => {
  if (!data.page) pages.postMessage({ page: ownPage });
  else {
    open.add(data.page);
    changed();
  }
});

/** lookForBegun asks the other pages what they are at, and lists the rest. */
export function lookForBegun(): void {
  open.clear();
  pages?.postMessage({});
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    waiting = undefined;
    changed();
  }, patience);
}

function changed() {
  if (waiting !== undefined) return;
  const now = begunUploads().filter(({ page }) => !open.has(page));
  if (JSON.stringify(now) !== JSON.stringify(left.get())) left.set(now);
}

addEventListener('storage', ({ key }) => {
  if (key === null || key.startsWith(prefix)) lookForBegun();
});
addEventListener(authEvents.changed, changed);

// What the versions before have noted: shares are taken over, files on their way into mounts have to be chosen again.
for (const one of readStoredJson(`${ownPrefix}shareUploads`, (value) => Array.isArray(value)) ?? []) {
  const begun = { ...(one as Partial<Begun>), id: freshId(), page: '', to: 'share', folder: '' };
  if (isBegun(begun)) write(begun);
}
for (const key of ['shareUploads', 'mountUploads', ...storedKeys(`${ownPrefix}moving:`)])
  writeStored(key.startsWith(ownPrefix) ? key : ownPrefix + key, '');
lookForBegun();

/** lookedFor are the uploads that this page has begun, and those that closed pages have left; who follows has them looked for. */
export const lookedFor: Followed<readonly Begun[]> = {
  get: left.get,
  subscribe(listener) {
    lookForBegun();
    return left.subscribe(listener);
  },
};

// The uploads that this page has begun or goes on with, by the very file object.
const known = new WeakMap<File, Begun>();

/** begunOf is the unfinished upload of a file of this page. */
export const begunOf = (file: File): Begun | undefined => known.get(file);

function write(begun: Begun) {
  writeStored(prefix + begun.id, JSON.stringify(begun));
  changed();
}

/** What is noted of an upload when it begins. */
export type Note = Pick<Begun, 'to' | 'folder' | 'name' | 'ends' | keyof FileParts>;

/** noteBegun remembers across reloads that a file is on its way, in place of what was known of it. */
export function noteBegun(file: File, note: Note): Begun {
  const { name: fileName, size, lastModified: modified } = file;
  const { id = freshId(), at = Date.now() } = known.get(file) ?? {};
  const begun = { id, at, page: ownPage, owner: ownerNow(), fileName, size, modified, ...note };
  known.set(file, begun);
  write(begun);
  return begun;
}

/** adopt makes the next transfer of a file go on with an upload; the caller has proven that it is the same file. */
export function adopt(file: File, begun: Begun): Begun {
  const own = { ...begun, page: ownPage };
  known.set(file, own);
  write(own);
  return own;
}

/** forgetBegun takes an upload off the list, and from the file that it was of. */
export function forgetBegun({ id }: Begun, file?: File): void {
  if (file) known.delete(file);
  writeStored(prefix + id, '');
  changed();
}

/** isOver says that the server knows nothing of an upload any more. */
export const isOver = (error: unknown) => error instanceof ApiError && error.code === 'upload_not_found';

const inMount = ({ folder, name, upload_id }: Begun) => ({
  path: folder,
  fileName: name,
  uploadId: upload_id,
});

/** callsOf ask what has arrived of an upload in parts, and give it up. */
const callsOf = (to: Lasting) =>
  ({
    share: { list: listFileParts, abort: abortFileParts },
    mount: {
      list: (begun: Begun, signal: AbortSignal) => listParts(inMount(begun), signal),
      abort: (begun: Begun) => abortParts(inMount(begun)),
    },
    request: requestParts,
  })[to];

/** bytesArrived is how much of an upload in parts the server has; one that it does not know is forgotten. */
export async function bytesArrived(begun: Begun, signal: AbortSignal): Promise<number> {
  try {
    const { parts } = await callsOf(begun.to).list(begun, signal);
    return parts.reduce((sum, { size }) => sum + size, 0);
  } catch (error) {
    if (isOver(error)) forgetBegun(begun);
    throw error;
  }
}

/** discardBegun gives an upload up, here and at the server. Rejects with ApiError when the server cannot be told. */
export async function discardBegun(begun: Begun, file?: File): Promise<void> {
  try {
    if (begun.upload_id) await callsOf(begun.to).abort(begun);
  } catch (error) {
    if (!isOver(error)) throw error;
  }
  forgetBegun(begun, file);
}

/** endsOf sums up the first and the last part of a file. */
export async function endsOf(file: Blob): Promise<string> {
  const sum = async (part: Blob) => md5(new Uint8Array(await part.arrayBuffer()));
  return `${await sum(file.slice(0, partSize))}-${await sum(file.slice(Math.max(0, file.size - partSize)))}`;
}

/** looksLike compares what can be seen of a file without reading it. */
export const looksLike = (begun: Begun, file: File): boolean =>
  begun.fileName === file.name && begun.size === file.size && begun.modified === file.lastModified;

/** isFileOf says whether a file is the one that an upload was begun with. */
export async function isFileOf(begun: Begun, file: File): Promise<boolean> {
  // Of one that goes whole nothing has arrived that another file could be joined to.
  if (!begun.ends) return begun.fileName === file.name && begun.size === file.size;
  return looksLike(begun, file) && begun.ends === (await endsOf(file));
}

/** A Place is where a file goes, and the name it has there. */
type Place = Pick<Begun, 'folder' | 'name'> & { to: Destination };

const isTo = (begun: Begun, { to, folder, name }: Place) =>
  begun.to === to && begun.folder === folder && begun.name === name;

/** unfinished is the upload in parts of what looks like this file to this place that was begun and not ended. */
export const unfinished = (file: File, place: Place): Begun | undefined =>
  begunUploads().find((one) => one.upload_id && isTo(one, place) && looksLike(one, file));

/** resumed is the upload of this very file to this place that was begun before, here or by a closed page. */
export async function resumed(file: File, place: Place): Promise<Begun | undefined> {
  const own = begunOf(file);
  if (own && isTo(own, place)) return own;
  const before = unfinished(file, place);
  return before && (await isFileOf(before, file)) ? adopt(file, before) : undefined;
}

/**
 * isFirstOf compares the first part that the storage has with the file, by the sums that storages use for tags: MD5,
 * and the head of SHA-256 on local disks. Undefined when there is nothing to compare with, or not enough here to do it.
 */
export async function isFirstOf(file: File, parts: readonly UploadedPart[]): Promise<boolean | undefined> {
  const first = parts.find(({ partNumber }) => partNumber === 1);
  const tag = first?.etag.replace(/"/g, '').toLowerCase() ?? '';
  if (!first || !/^[0-9a-f]{32}$/.test(tag)) return undefined;
  if (first.size > file.size) return false;
  const bytes = new Uint8Array(await file.slice(0, first.size).arrayBuffer());
  if (md5(bytes) === tag) return true;
  // Plain http has no SHA-256.
  if (!isSecureContext) return undefined;
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(sum.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('') === tag;
}
