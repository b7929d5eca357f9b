import { authEvents } from '../../api/credentials';
import type { FileParts } from '../../api/fileParts';
import { session } from '../../auth/session';
import { ownPrefix, readStoredJson, writeStored } from '../../config';
import { makeStore, useStore } from '../../store';
import { md5 } from './md5';
import { partSize } from './multipart';

/** Begun is a share in parts that was not finished, with what proves that a file is the same. */
export interface Begun extends FileParts {
  slug: string;
  /** name it is shared under; fileName is the one it had on this device. */
  name: string;
  fileName: string;
  /** bytes */
  size: number;
  modified: number;
  /** ends are the sums of the first and the last part. */
  ends: string;
  owner: string;
  /** at is when it was begun, in milliseconds since 1970. */
  at: number;
}

const storeKey = `${ownPrefix}shareUploads`;

/** The server gives up what nobody finishes for so long, in milliseconds (§9). */
const keptFor = 7 * 24 * 3600_000;

const most = 50;

const ownerNow = () => (session().kind === 'admin' ? 'admin' : session().id);

const isBegun = (value: unknown): value is Begun => {
  const one = value as Partial<Record<keyof Begun, unknown>> | null;
  return (
    typeof one?.file_id === 'string' &&
    typeof one.upload_id === 'string' &&
    typeof one.name === 'string' &&
    typeof one.fileName === 'string' &&
    typeof one.ends === 'string' &&
    typeof one.size === 'number' &&
    typeof one.modified === 'number' &&
    typeof one.at === 'number'
  );
};

function all(): Begun[] {
  const list = readStoredJson(storeKey, (value): value is unknown[] => Array.isArray(value)) ?? [];
  return list.filter(isBegun);
}

/** begunUploads are the unfinished shares of who is signed in, the newest first. */
export const begunUploads = (): Begun[] =>
  all()
    .filter(({ owner, at }) => owner === ownerNow() && Date.now() - at < keptFor)
    .toSorted((a, b) => b.at - a.at);

const shown = makeStore<readonly Begun[]>(begunUploads());

/** useBegun follows them; it is the same list until something changes. */
export const useBegun = () => useStore(shown);

function look() {
  const now = begunUploads();
  if (JSON.stringify(now) !== JSON.stringify(shown.get())) shown.set(now);
}

// Another tab has changed them, or others have signed in.
addEventListener('storage', ({ key }) => {
  if (key === storeKey || key === null) look();
});
addEventListener(authEvents.changed, look);

function write(list: readonly Begun[]) {
  writeStored(storeKey, list.length > 0 ? JSON.stringify(list.slice(-most)) : '');
  look();
}

/** noteBegun remembers an upload across reloads. */
export function noteBegun(upload: Omit<Begun, 'owner' | 'at'>): Begun {
  const begun = { ...upload, owner: ownerNow(), at: Date.now() };
  write([...all().filter(({ file_id }) => file_id !== upload.file_id), begun]);
  return begun;
}

export function forgetBegun({ file_id }: FileParts) {
  write(all().filter((one) => one.file_id !== file_id));
}

/** endsOf sums up the first and the last part of a file. */
export async function endsOf(file: Blob): Promise<string> {
  const sum = async (part: Blob) => md5(new Uint8Array(await part.arrayBuffer()));
  return `${await sum(file.slice(0, partSize))}-${await sum(file.slice(Math.max(0, file.size - partSize)))}`;
}

/** isFileOf says whether a file is the one that an upload was begun with. */
export async function isFileOf(begun: Begun, file: File): Promise<boolean> {
  const looks =
    begun.fileName === file.name && begun.size === file.size && begun.modified === file.lastModified;
  return looks && begun.ends === (await endsOf(file));
}
