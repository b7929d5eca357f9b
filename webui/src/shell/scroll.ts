import { leaveGuard } from '../shared/page';

// The browser restores a position before lazily loaded content has its height, so the app does it itself:
// a new page starts at the top, going back or forward returns to where one was.

const key = 'ppAt';
const positions = new Map<number, number>();
let at = 0;
let restoring = 0;

/** startScroll takes over the restoration of scroll positions. wouter announces its navigations as window events. */
export function startScroll(): void {
  history.scrollRestoration = 'manual';
  at = indexOf(history.state) ?? 0;
  stamp(at);
  const enter = () => {
    at += 1;
    stamp(at);
    positions.delete(at);
    cancelAnimationFrame(restoring);
    // A link to a heading on the same page is left to the browser.
    if (!location.hash) scrollTo(0, 0);
  };
  addEventListener('pushState', enter);
  addEventListener('popstate', (event) => {
    const known = indexOf(event.state);
    // The browser announces a fragment that somebody wrote or followed in the same way, but without a state.
    if (known === undefined) {
      enter();
      return;
    }
    if (leaveGuard.get()?.step(known - at)) {
      // This listener is the first.
      event.stopImmediatePropagation();
      return;
    }
    at = known;
    restore(positions.get(at) ?? 0, performance.now() + 10_000);
  });
  addEventListener('scroll', () => positions.set(at, scrollY), { passive: true });
}

const indexOf = (state: unknown): number | undefined => {
  const value =
    typeof state === 'object' && state !== null ? (state as Record<string, unknown>)[key] : undefined;
  return typeof value === 'number' ? value : undefined;
};

function stamp(index: number): void {
  const state: unknown = history.state;
  history.replaceState({ ...(typeof state === 'object' ? state : {}), [key]: index }, '');
}

// How long a place that was reached is still kept against late pictures, in ms. Dragging the bar of the window and
// searching in the page give no events of their own, so this must not last.
const holds = 2000;

/** restore keeps the place while the page gets its content, and gives up when the user moves or time is over. */
function restore(top: number, until: number): void {
  cancelAnimationFrame(restoring);
  const giveUp = () => cancelAnimationFrame(restoring);
  for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(move, giveUp, { once: true, passive: true });
  const step = () => {
    const reachable = document.documentElement.scrollHeight - innerHeight;
    scrollTo(0, Math.min(top, reachable));
    if (reachable >= top) until = Math.min(until, performance.now() + holds);
    if (performance.now() < until) restoring = requestAnimationFrame(step);
  };
  restoring = requestAnimationFrame(step);
}
