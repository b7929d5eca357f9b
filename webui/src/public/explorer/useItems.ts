import { useEffect, useRef, type RefObject } from 'react';
import type { Entry } from '../../api/fs';
import { dropTarget, grip } from './drag';
import type { Layout } from './layout';
import type { ListingViewProps } from './listingView';
import { cleanPath } from './place';
import { useGridKeys } from './useGridKeys';
import { useLongPress, type Point } from './useLongPress';
import { isSelectable } from './useSelection';

/** useItems are the handlers that an entry has in every view: keys, clicks, menu, dragging, dropping. */
export function useItems(props: ListingViewProps, list: RefObject<HTMLElement | null>, layout: Layout) {
  const { entries, selection, actions, onMenu, onDrop, startAt, focusAtStart } = props;
  const grid = useGridKeys({ list, entries, layout, selection, actions, startAt, focusAtStart });

  // A finger that rests and then slides selects what it passes.
  const passed = useRef(new Set<number>());
  const press = useLongPress<Entry>((entry, at) => {
    passed.current = new Set();
    onMenu(entry, at);
  }, slide);
  useStillWhilePressed(list, press.held);

  function slide(entry: Entry, at: Point) {
    onMenu(undefined);
    const under = document.elementFromPoint(at.x, at.y)?.closest<HTMLElement>('[data-index]');
    const index = Number(under?.dataset.index ?? -1);
    const fresh = [entries.indexOf(entry), index].filter((one) => one >= 0 && !passed.current.has(one));
    if (fresh.length === 0) return;
    for (const one of fresh) passed.current.add(one);
    selection.add(fresh.flatMap((one) => entries[one] ?? []));
  }

  return {
    active: grid.active,
    keys: grid.keys,
    /** item are the attributes of the element that stands for an entry. */
    item: (entry: Entry, index: number) => ({
      'aria-selected': isSelectable(entry) ? selection.has(entry) : undefined,
      ...grid.item(entry, index),
      ...press.of(entry),
      ...(entry.isDirectory &&
        onDrop &&
        entry.reachable !== false &&
        (!entry.isVirtual || entry.isMount) &&
        dropTarget(cleanPath(entry.path))),
    }),
    /** hold are the attributes of what an entry is dragged by. */
    hold: (entry: Entry) =>
      onDrop && isSelectable(entry)
        ? grip(() => (selection.has(entry) ? selection.entries : [entry]), onDrop)
        : undefined,
  };
}

/** While a finger holds an entry, moving it must not scroll the page. */
function useStillWhilePressed(list: RefObject<HTMLElement | null>, held: () => boolean) {
  useEffect(() => {
    const element = list.current;
    const still = (event: TouchEvent) => {
      if (held() && event.cancelable) event.preventDefault();
    };
    element?.addEventListener('touchmove', still, { passive: false });
    return () => element?.removeEventListener('touchmove', still);
  }, [list, held]);
}
