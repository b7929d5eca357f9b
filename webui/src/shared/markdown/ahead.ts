import type { Heading } from './headings';
import type { RenderOptions } from './render';

/** Ahead is a text that was drawn before the page was there that shows it (see drawn.ts). */
interface Ahead {
  text: string;
  /** moveTo puts what is drawn, and what still comes of it, in another place; its reader can do there what `opts` say. */
  moveTo: (into: HTMLElement, opts: RenderOptions) => Promise<{ headings: Heading[] }>;
}

let left: Ahead | undefined;

/** leaveAhead keeps what was drawn for whoever shows the text. */
export function leaveAhead(ahead: Ahead): void {
  left = ahead;
}

/** takeAhead hands out what was drawn of a text, once, and at once: what waited would leave a page without it meanwhile. */
export function takeAhead(text: string): Ahead | undefined {
  const ahead = left?.text === text ? left : undefined;
  if (ahead) left = undefined;
  return ahead;
}
