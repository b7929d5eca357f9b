import type { Mark } from './marks';

/** What the page can ask of whichever editor is open. */
export interface EditorHandle {
  focus(): void;
  /** apply runs a toolbar mark on the selection. */
  apply(mark: Mark): void;
  undo(): void;
  redo(): void;
  /** goTo moves the caret to a position of the text and shows it. */
  goTo(position: number): void;
  /** showLine scrolls a line to the top and leaves the caret alone; takes what onScroll gives. */
  showLine?(line: number): void;
}

/** Where the caret stands. */
export interface Caret {
  focused: boolean;
  anchor: number;
  head: number;
}

/** CaretKeeper holds the caret of an editor that goes, for the one that comes in its place. */
export interface CaretKeeper {
  keep(caret: Caret): void;
  take(): Caret | undefined;
}

export function makeCaretKeeper(): CaretKeeper {
  let kept: Caret | undefined;
  return {
    keep: (caret) => void (kept = caret),
    take() {
      const taken = kept;
      kept = undefined;
      return taken;
    },
  };
}

export interface EditorProps {
  text: string;
  onText: (text: string) => void;
  /** onReady gives the handle, and undefined when the editor goes. */
  onReady: (handle: EditorHandle | undefined) => void;
  caret?: CaretKeeper;
  /** onScroll tells which line stands at the top, with a fraction of it; Infinity at the end of the text. */
  onScroll?: (line: number) => void;
  label: string;
  placeholder: string;
  invalid: boolean;
  describedBy: string;
}
