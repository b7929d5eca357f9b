import { ownPrefix, readStoredJson, writeStored } from '../../config';
import { makeStore } from '../../store';
import { sendToMount, uploads } from './uploads';

/** A Cut is an upload into a mount whose page was closed before it ended. */
export interface Cut {
  /** key tells it from others. */
  key: string;
  name: string;
  /** folder is the whole path it was on its way to. */
  folder: string;
  /** size and sent in bytes. */
  size: number;
  sent: number;
  /** at is when it was last heard of, in milliseconds. */
  at: number;
}

type Moving = Omit<Cut, 'key' | 'at'>;

interface Noted {
  at: number;
  moving: Moving[];
}

const prefix = `${ownPrefix}moving:`;

/** Milliseconds between two notes of one run, and those after which a silent page counts as closed. */
const every = 5000;
const silence = 180_000;

/** Milliseconds for which a cut upload is shown. */
const keptFor = 7 * 86_400_000;

// Each page has a note of its own, so that no two write the same one.
const own = `${prefix}${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
const cuts = makeStore<readonly Cut[]>([]);
let written = '';
let writtenAt = 0;
let watching = false;

/** note writes down what is on its way, when that has changed or a while has passed. */
function note() {
  const moving = uploads
    .get()
    .items.filter(({ to, status }) => to === 'mount' && (status === 'uploading' || status === 'paused'))
    .map(({ name, folder, file, sent }): Moving => ({ name, folder, size: file.size, sent }));
  const names = moving.map(({ folder, name }) => `${folder}/${name}`).join('\n');
  const now = Date.now();
  if (names === written && (names === '' || now - writtenAt < every)) return;
  [written, writtenAt] = [names, now];
  writeStored(own, moving.length > 0 ? JSON.stringify({ at: now, moving } satisfies Noted) : '');
}

/** Where locks are known a page shows by one that it is open; else by what it has noted lately. */
async function openPages(): Promise<ReadonlySet<string> | undefined> {
  if (!('locks' in navigator)) return undefined;
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => name ?? []));
}

const isNoted = (value: unknown): value is Noted => {
  const { at, moving } = (value ?? {}) as Partial<Noted>;
  return typeof at === 'number' && Array.isArray(moving);
};

const isMoving = (value: unknown): value is Moving => {
  const { name, folder, size, sent } = (value ?? {}) as Partial<Moving>;
  return (
    typeof name === 'string' &&
    typeof folder === 'string' &&
    typeof size === 'number' &&
    typeof sent === 'number'
  );
};

function storedKeys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix) && key !== own);
  } catch {
    return [];
  }
}

/** cutTransfers are the uploads that closed pages have left; their files have to be chosen again. */
export const cutTransfers = {
  get: cuts.get,
  subscribe: cuts.subscribe,

  /** watch notes this page's uploads from now on, so that another page can tell of them. */
  watch() {
    if (watching) return;
    watching = true;
    uploads.subscribe(note);
    // The lock is let go when the page closes, however that comes about.
    if ('locks' in navigator) void navigator.locks.request(own, () => new Promise(() => {})).catch(() => {});
  },

  /** look reads again what closed pages have left. */
  async look() {
    const open = await openPages();
    const now = Date.now();
    const found = storedKeys().flatMap((key) => {
      const { at, moving } = readStoredJson(key, isNoted) ?? { at: 0, moving: [] };
      if (now - at > keptFor) {
        writeStored(key, '');
        return [];
      }
      if (open ? open.has(key) : now - at < silence) return [];
      return moving.filter(isMoving).map((one, index) => ({ ...one, at, key: `${key} ${index}` }));
    });
    cuts.set(found);
  },

  /** goOn sends the file of one; false when the file is another. */
  goOn(cut: Cut, file: File): boolean {
    if (file.name !== cut.name || file.size !== cut.size) return false;
    cutTransfers.watch();
    uploads.add([{ file, to: 'mount', folder: cut.folder }]);
    const item = uploads
      .get()
      .items.find((one) => one.file === file && one.status === 'pending' && one.folder === cut.folder);
    if (item) uploads.start(sendToMount, [item.id]);
    cutTransfers.forget(cut);
    return true;
  },

  /** forget takes one off the list. */
  forget(cut: Cut) {
    const [key = ''] = cut.key.split(' ');
    const left = cuts.get().filter((other) => other !== cut && other.key.startsWith(`${key} `));
    const moving = left.map(({ name, folder, size, sent }): Moving => ({ name, folder, size, sent }));
    writeStored(key, left.length > 0 ? JSON.stringify({ at: cut.at, moving } satisfies Noted) : '');
    void cutTransfers.look();
  },
};
