import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type RefObject } from 'react';
import type { Entry } from '../../api/fs';
import { nextByName } from './entries';
import type { Layout } from './layout';
import type { Selection } from './useSelection';

/** What is above the lines of a listing while it scrolls, in px: the page's header and the column heads. */
const above = 116;

/** Milliseconds after which a letter begins a new name. */
const typingPause = 700;

export interface GridActions {
  open: (entry: Entry) => void;
  up: () => void;
  rename: (entry: Entry) => void;
  remove: (entry: Entry) => void;
}

interface Grid {
  list: RefObject<HTMLElement | null>;
  entries: readonly Entry[];
  layout: Layout;
  selection: Selection;
  actions: GridActions;
  /** startAt is the entry that can be reached by Tab at first, and takes the focus when focusAtStart says so. */
  startAt: number;
  focusAtStart: boolean;
}

/**
 * useGridKeys moves the focus through a listing the way of the ARIA grid:
 * one entry is in the Tab order, arrows move, Shift selects on the way,
 * letters lead to the next name that begins with them.
 */
export function useGridKeys(grid: Grid) {
  const { list, entries, layout, selection, actions } = grid;
  const [wanted, setActive] = useState(grid.startAt);
  const active = Math.max(0, Math.min(wanted, entries.length - 1));
  const takesFocus = useRef(grid.focusAtStart);
  const held = useRef(false);
  const typed = useRef({ text: '', at: 0 });

  // An entry far away is drawn only by the render that follows.
  useEffect(() => {
    // An entry that is deleted takes the focus along; the one in its place gets it.
    if (held.current && document.activeElement === document.body) takesFocus.current = true;
    if (!takesFocus.current) return;
    const item = list.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    if (!item) return;
    takesFocus.current = false;
    item.focus({ preventScroll: true });
    const { top, height } = item.getBoundingClientRect();
    bringIntoView(top, height);
  });

  function moveTo(next: number, extend: boolean) {
    const entry = entries[next];
    const from = entries[active];
    if (extend && entry && from) {
      if (!selection.has(from)) selection.extend(from);
      selection.extend(entry);
    }
    takesFocus.current = true;
    setActive(next);
    const box = layout.boxOf(next);
    bringIntoView((list.current?.getBoundingClientRect().top ?? 0) + box.top, box.height);
  }

  function type(letter: string, now: number) {
    const { text, at } = typed.current;
    const sofar = now - at < typingPause ? text + letter : letter;
    typed.current = { text: sofar, at: now };
    const found = nextByName(entries, sofar, active);
    if (found >= 0) moveTo(found, false);
  }

  function keys(event: KeyboardEvent<HTMLElement>) {
    const entry = entries[active];
    if (!(event.target instanceof HTMLElement) || event.target.dataset.index === undefined || !entry) return;
    const target = layout.next(active, event.key, innerHeight - above);
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
    else if ([...event.key].length === 1 && event.key !== '?') type(event.key, event.timeStamp);
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
      onFocus: () => {
        held.current = true;
        setActive(index);
      },
      onBlur: () => (held.current = false),
    }),
  };
}

function bringIntoView(top: number, height: number) {
  if (top < above) scrollBy(0, top - above);
  else if (top + height > innerHeight - 8) scrollBy(0, top + height - innerHeight + 8);
}
