import type { Entry } from '../../api/fs';
import { ownPrefix, readStoredJson, writeStored } from '../../config';
import { atSignOut } from '../../shared/atSignOut';
import { makeStore } from '../../store';

/** A file or folder in the basket; folders' paths end in "/". */
export interface Kept {
  path: string;
  name: string;
  isDirectory: boolean;
  /** bytes; null while nobody knows. */
  size: number | null;
}

/** Things that one archive takes. */
export const mostKept = 1000;

const key = `${ownPrefix}basket`;
const kept = makeStore(read());

function read(): readonly Kept[] {
  const stored = readStoredJson(key, (value): value is unknown[] => Array.isArray(value)) ?? [];
  return stored.filter(isKept);
}

function isKept(value: unknown): value is Kept {
  const { path, name, isDirectory, size } = (value ?? {}) as Partial<Kept>;
  return (
    typeof path === 'string' &&
    typeof name === 'string' &&
    typeof isDirectory === 'boolean' &&
    (size === null || typeof size === 'number')
  );
}

function change(next: readonly Kept[]) {
  kept.set(next);
  writeStored(key, next.length > 0 ? JSON.stringify(next) : '');
}

/** basket holds what one wants to download together, from whatever folders; it stays over a reload. */
export const basket = {
  get: kept.get,
  subscribe: kept.subscribe,

  has: ({ path }: { path: string }) => kept.get().some((one) => one.path === path),

  /** add puts entries in; it answers how many found no room. */
  add(entries: readonly Pick<Entry, 'path' | 'name' | 'isDirectory' | 'size'>[]): number {
    const before = kept.get();
    const there = new Set(before.map(({ path }) => path));
    const fresh = entries
      .filter(({ path }) => !there.has(path))
      .map(({ path, name, isDirectory, size }) => ({ path, name, isDirectory, size: size ?? null }));
    const next = [...before, ...fresh].slice(0, mostKept);
    const left = before.length + fresh.length - next.length;
    change(next);
    return left;
  },

  remove(paths: readonly string[]) {
    const gone = new Set(paths);
    change(kept.get().filter(({ path }) => !gone.has(path)));
  },

  clear: () => change([]),
};

// Another tab has changed it, or the one whose it was has gone.
addEventListener('storage', (event) => {
  if (event.key === key || event.key === null) kept.set(read());
});
atSignOut(() => change([]));
