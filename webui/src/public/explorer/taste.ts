import { useSyncExternalStore } from 'react';
import { readStoredJson, writeStored } from '../../config';
import type { Sort } from './entries';

export type ViewMode = 'list' | 'grid';

/** Taste is how this person likes to look at folders; it stays on this device. */
export interface Taste {
  view: ViewMode;
  sort: Sort;
}

const key = 'pp.explorer';
const listeners = new Set<() => void>();
let current: Taste = { view: 'list', sort: 'default', ...readStoredJson(key, isTaste) };

function isTaste(value: unknown): value is Taste {
  if (typeof value !== 'object' || value === null) return false;
  const { view, sort } = value as Partial<Taste>;
  return (
    (view === 'list' || view === 'grid') &&
    /^(default|(name|size|modified) (asc|desc))$/.test(typeof sort === 'string' ? sort : '')
  );
}

export function setTaste(change: Partial<Taste>): void {
  current = { ...current, ...change };
  writeStored(key, JSON.stringify(current));
  for (const listener of listeners) listener();
}

export const useTaste = (): Taste =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
