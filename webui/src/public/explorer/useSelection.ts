import { useState } from 'react';
import type { Entry } from '../../api/fs';

export interface Selection {
  has: (entry: Entry) => boolean;
  /** entries that are selected, in the order of the listing. */
  entries: readonly Entry[];
  /** selecting is true while a click selects instead of opening. */
  selecting: boolean;
  start: () => void;
  toggle: (entry: Entry) => void;
  /** extend selects everything between the last one that was chosen and this one. */
  extend: (entry: Entry) => void;
  add: (entries: readonly Entry[]) => void;
  /** replace selects these and no others. */
  replace: (entries: readonly Entry[]) => void;
  all: () => void;
  clear: () => void;
}

/** Mounts and folders above them can be opened, but nothing can be done with them. */
export const isSelectable = (entry: Entry) => !entry.isVirtual && entry.reachable !== false;

const pathsOf = (entries: readonly Entry[]) => entries.filter(isSelectable).map(({ path }) => path);

/** useSelection keeps which entries of a listing are chosen. */
export function useSelection(listed: readonly Entry[]): Selection {
  const [paths, setPaths] = useState<ReadonlySet<string>>(new Set());
  const [mode, setMode] = useState(false);
  const [anchor, setAnchor] = useState('');
  const entries = paths.size === 0 ? [] : listed.filter(({ path }) => paths.has(path));

  return {
    has: ({ path }) => paths.has(path),
    entries,
    selecting: mode || entries.length > 0,
    start: () => setMode(true),
    toggle(entry) {
      if (!isSelectable(entry)) return;
      const next = new Set(paths);
      if (!next.delete(entry.path)) next.add(entry.path);
      setPaths(next);
      setAnchor(entry.path);
    },
    extend(entry) {
      const from = listed.findIndex(({ path }) => path === anchor);
      const to = listed.indexOf(entry);
      const range = listed.slice(Math.min(from < 0 ? to : from, to), Math.max(from, to) + 1);
      setPaths((before) => new Set([...before, ...pathsOf(range)]));
      if (from < 0) setAnchor(entry.path);
    },
    add: (more) => setPaths((before) => new Set([...before, ...pathsOf(more)])),
    replace: (only) => setPaths(new Set(pathsOf(only))),
    all: () => setPaths(new Set(pathsOf(listed))),
    clear() {
      setPaths(new Set());
      setMode(false);
    },
  };
}
