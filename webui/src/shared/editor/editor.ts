import type { Mark } from './marks';

/** What the page can ask of whichever editor is open. */
export interface EditorHandle {
  focus(): void;
  /** apply runs a toolbar mark on the selection. */
  apply(mark: Mark): void;
  undo(): void;
  redo(): void;
}

export interface EditorProps {
  text: string;
  onText: (text: string) => void;
  /** onReady gives the handle, and undefined when the editor goes. */
  onReady: (handle: EditorHandle | undefined) => void;
  /** onScroll tells how far the source is scrolled, from 0 to 1. */
  onScroll?: (ratio: number) => void;
  label: string;
  placeholder: string;
  invalid: boolean;
  describedBy: string;
}
