import { useEffect, useState, type RefObject } from 'react';

/** Lines up to which all are drawn, so that the browser's own search finds them. */
const drawAll = 200;

/** Lines drawn above and below what is on the screen. */
const spare = 12;

export interface Window {
  first: number;
  /** last is the first line that is not drawn any more. */
  last: number;
}

/**
 * useWindow says which lines of a long list are near the screen. All lines are
 * `height` px high; up to `whole` of them are all drawn.
 */
export function useWindow(
  list: RefObject<HTMLElement | null>,
  count: number,
  height: number,
  whole = drawAll,
): Window {
  const [near, setNear] = useState<Window>(() => ({
    first: 0,
    last: Math.ceil(innerHeight / height) + spare,
  }));

  useEffect(() => {
    if (count <= whole) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / height) - spare);
      const last = Math.ceil((innerHeight - top) / height) + spare;
      setNear((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(measure);
    };
    soon();
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, [list, count, height, whole]);

  return count <= whole
    ? { first: 0, last: count }
    : { first: Math.min(near.first, count), last: Math.min(near.last, count) };
}
