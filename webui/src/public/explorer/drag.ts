import type { DragEvent } from 'react';
import type { Entry } from '../../api/fs';
import { cleanPath, parentOf } from './place';

/** The type that marks our own entries among other things that are dragged. */
const mark = 'application/x-pasteport-entries';

/** onDrop is told what was dropped, and whether a copy is wanted. */
export type OnDrop = (folder: string, entries: readonly Entry[], copy: boolean) => void;

// The browser shows what is dragged only when it is dropped; entries never leave this tab. The listing they come from
// says what a drop does.
let dragged: readonly Entry[] = [];
let drop: OnDrop = () => undefined;

/** grip makes an element the handle by which entries are dragged. Fingers have the menu for that. */
export function grip(entries: () => readonly Entry[], onDrop: OnDrop) {
  return {
    draggable: matchMedia('(pointer: fine)').matches,
    onDragStart(event: DragEvent) {
      dragged = entries();
      drop = onDrop;
      event.dataTransfer.effectAllowed = 'copyMove';
      event.dataTransfer.setData(mark, '');
      event.dataTransfer.setData('text/plain', dragged.map(({ path }) => cleanPath(path)).join('\n'));
    },
    onDragEnd() {
      dragged = [];
    },
  };
}

/** canTake says whether entries may be put into a folder: not where they are, and not into themselves. */
export const canTake = (folder: string, entries: readonly Entry[]) =>
  entries.length > 0 &&
  entries.every(
    ({ path, isDirectory }) =>
      parentOf(path) !== folder &&
      cleanPath(path) !== folder &&
      !(isDirectory && `${folder}/`.startsWith(path)),
  );

/** dropTarget makes an element a folder that entries can be dropped on. */
export function dropTarget(folder: string) {
  return {
    onDragOver(event: DragEvent<HTMLElement>) {
      if (!event.dataTransfer.types.includes(mark) || !canTake(folder, dragged)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = event.ctrlKey || event.altKey ? 'copy' : 'move';
      event.currentTarget.dataset.over = '';
    },
    onDragLeave(event: DragEvent<HTMLElement>) {
      delete event.currentTarget.dataset.over;
    },
    onDrop(event: DragEvent<HTMLElement>) {
      delete event.currentTarget.dataset.over;
      if (!event.dataTransfer.types.includes(mark) || !canTake(folder, dragged)) return;
      event.preventDefault();
      event.stopPropagation();
      drop(folder, dragged, event.ctrlKey || event.altKey);
    },
  };
}
