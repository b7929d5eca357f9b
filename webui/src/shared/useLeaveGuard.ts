import { useEffect, useEffectEvent } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { leaveGuard } from './page';
import { address, questionNow, reasonToStay } from './unsaved';

/**
 * useLeaveGuard asks before a page is left on which something is not saved: by a link, by the browser's Back and
 * Forward, and by closing the tab, where the browser asks by itself.
 */
export function useLeaveGuard(dirty: boolean, mayLeave: () => Promise<boolean>): void {
  const answer = useEffectEvent(mayLeave);
  useEffect(
    () => (dirty ? reasonToStay({ holds: () => true, mayLeave: () => answer() }) : undefined),
    [dirty],
  );
}

type Question = ReturnType<typeof questionNow>;

let asking = false;
// Whose question was answered by a yes, for the step that follows.
let agreed: Question;
// The step that was taken back.
let away = 0;
// Whether a link does by itself what it does.
let passing = false;

/** ask puts one question at a time; who wants to leave while it waits for its answer stays. */
async function ask(question: Question): Promise<boolean> {
  if (!question) return true;
  if (asking) return false;
  asking = true;
  try {
    return await question.mayLeave();
  } finally {
    asking = false;
  }
}

/** follow lets a link do what it does itself, with its state; one without a handler of its own goes by the router. */
function follow(link: HTMLAnchorElement) {
  const byRouter = (event?: Event) => {
    if (event?.defaultPrevented) return;
    event?.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  };
  if (!link.isConnected) return byRouter();
  addEventListener('click', byRouter);
  passing = true;
  link.click();
  passing = false;
  removeEventListener('click', byRouter);
}

document.addEventListener(
  'click',
  (event) => {
    if (passing) return;
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!(link instanceof HTMLAnchorElement) || !plain || link.origin !== location.origin) return;
    // What opens in another tab or is saved does not lead away.
    if (link.target || link.hasAttribute('download')) return;
    // A link to a place on this page, or to what its script does.
    if (link.getAttribute('href')?.startsWith('#')) return;
    if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
    // Asked last: it may save something, which draws the page again.
    const question = questionNow();
    if (!question) return;
    event.preventDefault();
    event.stopPropagation();
    void ask(question).then((sure) => {
      if (sure) follow(link);
    });
  },
  { capture: true },
);

/** askNow puts the page's question, and lets what a yes leads to pass. */
function askNow() {
  // A link that was agreed to goes by the router.
  const question = passing ? undefined : questionNow();
  return (
    question &&
    ask(question).then((sure) => {
      if (sure) agreed = question;
      return sure;
    })
  );
}

/** step takes a step back before anything on the page hears of it, asks about it, then takes it again. */
function step(by: number): boolean {
  const question = questionNow();
  if (by !== 0) {
    // A step that was agreed to, or to another place on this page.
    if (!question || question === agreed || address() === question.at) return false;
    away = by;
    history.go(-by);
    return true;
  }
  if (away === 0) return false;
  const taken = away;
  away = 0;
  const { href } = location;
  void ask(question).then((sure) => {
    // Somebody may have left by other means meanwhile.
    if (!sure || location.href !== href) return;
    agreed = question;
    history.go(taken);
  });
  return true;
}

leaveGuard.set({ step, ask: askNow });
