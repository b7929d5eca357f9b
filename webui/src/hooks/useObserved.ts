import { useCallback } from 'react';
import { useLatest } from './useLatest';

/** Observing is a ref that watches its element until that leaves the page. */
type Observing = (element: Element | null) => (() => void) | undefined;

/** useSize tells how large an element's content is, in px: at first, and whenever that has changed. It gives its ref. */
export function useSize(tell: (width: number, element: Element) => void): Observing {
  const latest = useLatest(tell);
  return useCallback(
    (element) => {
      if (!element) return;
      const observer = new ResizeObserver(([seen]) => {
        if (seen) latest.current(seen.contentRect.width, element);
      });
      observer.observe(element);
      return () => observer.disconnect();
    },
    [latest],
  );
}

/**
 * useInSight tells whether an element is in the window or so near to it as `margin` says, a CSS margin: at first, and
 * whenever that has changed. It gives the element's ref.
 */
export function useInSight(margin: string, tell: (inSight: boolean) => void): Observing {
  const latest = useLatest(tell);
  return useCallback(
    (element) => {
      if (!element) return;
      const observer = new IntersectionObserver(
        (entries) => latest.current(entries.at(-1)?.isIntersecting ?? false),
        { rootMargin: margin },
      );
      observer.observe(element);
      return () => observer.disconnect();
    },
    [latest, margin],
  );
}
