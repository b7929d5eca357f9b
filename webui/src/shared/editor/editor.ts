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
  /** text is what stands in the editor now; onText is told of it first where that was put off. */
  text?(): string;
  /** showLine scrolls a line to the top and leaves the caret alone; takes what onScroll gives. */
  showLine?(line: number): void;
}

/** Where the caret stands. */
interface Caret {
  focused: boolean;
  anchor: number;
  head: number;
}

/** CaretKeeper holds the caret of an editor that goes, for the one that comes in its place. */
interface CaretKeeper {
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

/** A text field is slow with longer texts than this, in UTF-16 units. */
export const longText = 400_000;

/** Above so many UTF-16 units Markdown is not parsed in the editor: that takes longer with every block of the text. */
export const parsedUpTo = 1_500_000;

export interface EditorProps {
  text: string;
  /** onText is told of every change; with patience, of one in a long text when nobody types for a moment. */
  onText: (text: string) => void;
  /** onReady gives the handle, and undefined when the editor goes. */
  onReady: (handle: EditorHandle | undefined) => void;
  /** patient says that the page asks the handle for the text before it acts on it. */
  patient?: boolean;
  caret?: CaretKeeper;
  /** onScroll tells which line stands at the top, with a fraction of it; Infinity at the end of the text. */
  onScroll?: (line: number) => void;
  label: string;
  placeholder: string;
  invalid: boolean;
  describedBy: string;
}
