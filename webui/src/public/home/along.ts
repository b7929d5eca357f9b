/** A Place is where a line of the source stands in the preview. */
interface Place {
  line: number;
  /** top in px from the start of the preview's content. */
  top: number;
}

// Until when the scrolling of a pane is that of the other one, which it must not lead in turn.
const following = new WeakMap<HTMLElement, number>();

/** isFollowing says whether the pane scrolls because the source does. */
export const isFollowing = (pane: HTMLElement): boolean => (following.get(pane) ?? 0) > performance.now();

/** showLine scrolls the preview to a line of the source; Infinity is the end. */
export function showLine(pane: HTMLElement, line: number): void {
  following.set(pane, performance.now() + 150);
  const [before, after] = around(pane, (place) => place.line <= line);
  if (line === Infinity || !after) {
    pane.scrollTop = line === Infinity ? pane.scrollHeight : (before?.top ?? 0);
    return;
  }
  const start = before ?? { line: 1, top: 0 };
  const part = (line - start.line) / Math.max(1, after.line - start.line);
  pane.scrollTop = start.top + part * (after.top - start.top);
}

/** topLine is the line of the source that stands at the top of the preview, with a fraction of its block. */
export function topLine(pane: HTMLElement): number {
  const { scrollTop, scrollHeight, clientHeight } = pane;
  if (scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2) return Infinity;
  const [before, after] = around(pane, (place) => place.top <= scrollTop);
  const start = before ?? { line: 1, top: 0 };
  if (!after) return start.line;
  const part = (scrollTop - start.top) / Math.max(1, after.top - start.top);
  return start.line + part * (after.line - start.line);
}

/** around finds the last block that is still before a place, and the one after it. */
function around(pane: HTMLElement, isBefore: (place: Place) => boolean): [Place?, Place?] {
  const blocks = pane.querySelectorAll<HTMLElement>('[data-line]');
  const shift = pane.scrollTop - pane.getBoundingClientRect().top;
  const placeOf = (at: number): Place | undefined => {
    const block = blocks[at];
    return block && { line: Number(block.dataset.line), top: block.getBoundingClientRect().top + shift };
  };
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const place = placeOf(middle);
    if (place && isBefore(place)) low = middle + 1;
    else high = middle;
  }
  return [placeOf(low - 1), placeOf(low)];
}
