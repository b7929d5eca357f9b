import { useEffect, useEffectEvent } from 'react';
import { useLocation } from 'wouter';
import { config } from '../config';
import { steps } from './page';

/**
 * useLeaveGuard asks before a page is left on which something is not saved: by a link, by the browser's Back and
 * Forward, and by closing the tab, where the browser asks by itself.
 */
export function useLeaveGuard(dirty: boolean, mayLeave: () => Promise<boolean>): void {
  const [, go] = useLocation();
  const answer = useEffectEvent(mayLeave);
  useEffect(() => {
    if (!dirty) return;
    const leave = new AbortController();
    const { signal } = leave;
    const here = location.pathname + location.search;
    let away = 0;
    let asking = false;
    let agreed = false;
    let passing = false;

    /** ask puts one question at a time; who wants to leave while it waits for its answer stays. */
    const ask = async () => {
      if (asking) return false;
      asking = true;
      try {
        return await answer();
      } finally {
        asking = false;
      }
    };

    /** follow lets a link do what it does itself, with its state; one without a handler of its own goes by the router. */
    const follow = (link: HTMLAnchorElement) => {
      const byRouter = (event?: Event) => {
        if (event?.defaultPrevented) return;
        event?.preventDefault();
        go(link.pathname.slice(config.basePath.length) + link.search + link.hash);
      };
      if (!link.isConnected) return byRouter();
      addEventListener('click', byRouter);
      passing = true;
      link.click();
      passing = false;
      removeEventListener('click', byRouter);
    };

    addEventListener('beforeunload', (event) => event.preventDefault(), { signal });
    document.addEventListener(
      'click',
      (event) => {
        if (passing) return;
        const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
        const plain =
          event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
        if (!(link instanceof HTMLAnchorElement) || !plain || link.origin !== location.origin) return;
        // What opens in another tab or is saved does not lead away.
        if (link.target || link.hasAttribute('download')) return;
        // A link to a place on this page, or to what its script does.
        if (link.getAttribute('href')?.startsWith('#')) return;
        if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
        event.preventDefault();
        event.stopPropagation();
        void ask().then((sure) => {
          if (sure) follow(link);
        });
      },
      { signal, capture: true },
    );
    steps.ask = async () => {
      const sure = await ask();
      agreed ||= sure;
      return sure;
    };
    // A step is taken back before anything on the page hears of it, then asked about, then taken again.
    steps.guard = (by) => {
      if (agreed) return false;
      if (by !== 0) {
        // A step to another place on this page.
        if (location.pathname + location.search === here) return false;
        away = by;
        history.go(-by);
        return true;
      }
      if (away === 0) return false;
      const step = away;
      away = 0;
      void ask().then((sure) => {
        if (!sure || signal.aborted) return;
        agreed = true;
        history.go(step);
      });
      return true;
    };
    return () => {
      leave.abort();
      steps.guard = steps.ask = undefined;
    };
  }, [dirty, go]);
}
