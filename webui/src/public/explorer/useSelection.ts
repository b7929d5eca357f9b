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
  all: () => void;
  clear: () => void;
}

/** Mounts and folders above them can be opened, but nothing can be done with them. */
export const isSelectable = (entry: Entry) => !entry.isVirtual && entry.reachable !== false;

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
      setPaths(new Set([...paths, ...range.filter(isSelectable).map(({ path }) => path)]));
      if (from < 0) setAnchor(entry.path);
    },
    all: () => setPaths(new Set(listed.filter(isSelectable).map(({ path }) => path))),
    clear() {
      setPaths(new Set());
      setMode(false);
    },
  };
}
