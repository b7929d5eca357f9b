import { useEffect, useState, type RefObject } from 'react';

/** useWidth is how wide an element is, in px; before it is drawn, what the window leaves it. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => Math.min(innerWidth, 1280) - (innerWidth < 640 ? 32 : 64));
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([seen]) => {
      if (seen) setWidth(seen.contentRect.width);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
