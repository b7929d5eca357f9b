import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type RefObject } from 'react';
import type { Entry } from '../../api/fs';
import type { Selection } from './useSelection';

/** What is above the lines of a listing while it scrolls, in px: the page's header and the column heads. */
const above = 116;

export interface GridActions {
  open: (entry: Entry) => void;
  up: () => void;
  rename: (entry: Entry) => void;
  remove: (entry: Entry) => void;
}

interface Grid {
  list: RefObject<HTMLElement | null>;
  entries: readonly Entry[];
  columns: number;
  /** height of a line in px. */
  height: number;
  selection: Selection;
  actions: GridActions;
  /** startAt is the entry that can be reached by Tab at first, and takes the focus when focusAtStart says so. */
  startAt: number;
  focusAtStart: boolean;
}

/**
 * useGridKeys moves the focus through a listing the way of the ARIA grid:
 * one entry is in the Tab order, arrows move, Shift selects on the way.
 */
export function useGridKeys(grid: Grid) {
  const { list, entries, columns, height, selection, actions } = grid;
  const [wanted, setActive] = useState(grid.startAt);
  const active = Math.max(0, Math.min(wanted, entries.length - 1));
  const takesFocus = useRef(grid.focusAtStart);

  // An entry far away is drawn only by the render that follows.
  useEffect(() => {
    if (!takesFocus.current) return;
    const item = list.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    if (!item) return;
    takesFocus.current = false;
    item.focus({ preventScroll: true });
    reveal(item);
  });

  function moveTo(index: number, extend: boolean) {
    const next = Math.max(0, Math.min(index, entries.length - 1));
    const entry = entries[next];
    const from = entries[active];
    if (extend && entry && from) {
      if (!selection.has(from)) selection.extend(from);
      selection.extend(entry);
    }
    takesFocus.current = true;
    setActive(next);
    const top = list.current?.getBoundingClientRect().top ?? 0;
    bringIntoView(top + Math.floor(next / columns) * height, height);
  }

  function keys(event: KeyboardEvent<HTMLElement>) {
    const entry = entries[active];
    if (!(event.target instanceof HTMLElement) || event.target.dataset.index === undefined || !entry) return;
    const page = Math.max(1, Math.floor((innerHeight - above) / height) - 1) * columns;
    const targets: Record<string, number> = {
      ArrowDown: active + columns,
      ArrowUp: active - columns,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: entries.length - 1,
      ...(columns > 1 && { ArrowRight: active + 1, ArrowLeft: active - 1 }),
    };
    const target = targets[event.key];
    const command = event.ctrlKey || event.metaKey;
    if (event.altKey && event.key === 'ArrowUp') actions.up();
    else if (event.altKey) return;
    else if (target !== undefined) moveTo(target, event.shiftKey);
    else if (command && event.key.toLowerCase() === 'a') selection.all();
    else if (command) return;
    else if (event.key === 'Enter') actions.open(entry);
    else if (event.key === ' ') selection.toggle(entry);
    else if (event.key === 'Backspace') actions.up();
    else if (event.key === 'F2') actions.rename(entry);
    else if (event.key === 'Delete') actions.remove(entry);
    else if (event.key === 'Escape' && selection.selecting) selection.clear();
    else return;
    event.preventDefault();
  }

  function click(event: MouseEvent, entry: Entry, index: number) {
    if (event.target instanceof Element && event.target.closest('button, input, label')) return;
    event.preventDefault();
    setActive(index);
    if (event.shiftKey) selection.extend(entry);
    else if (event.ctrlKey || event.metaKey || selection.selecting) selection.toggle(entry);
    else actions.open(entry);
  }

  return {
    active,
    keys,
    /** item are the attributes of the element that stands for an entry. */
    item: (entry: Entry, index: number) => ({
      'data-index': index,
      tabIndex: index === active ? 0 : -1,
      onClick: (event: MouseEvent) => click(event, entry, index),
      onFocus: () => setActive(index),
    }),
  };
}

function reveal(item: HTMLElement) {
  const { top, height } = item.getBoundingClientRect();
  bringIntoView(top, height);
}

function bringIntoView(top: number, height: number) {
  if (top < above) scrollBy(0, top - above);
  else if (top + height > innerHeight - 8) scrollBy(0, top + height - innerHeight + 8);
}
