import { useEffect, type RefObject } from 'react';

/** focusables are the elements a keyboard reaches by itself. */
const focusables = 'a[href], button, input, select, textarea, summary, iframe, [tabindex], [contenteditable]';

/**
 * useScrollStop lets the keyboard scroll a box that holds more than it shows: as long as nothing inside can be
 * focused, the box itself can. Its only child grows with what is in it.
 */
export function useScrollStop(box: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const scroller = box.current;
    if (!scroller) return;
    const observer = new ResizeObserver(() => {
      const stop = scroller.scrollHeight > scroller.clientHeight && !scroller.querySelector(focusables);
      if (stop) scroller.tabIndex = 0;
      else scroller.removeAttribute('tabindex');
    });
    observer.observe(scroller);
    if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
    return () => observer.disconnect();
  }, [box]);
}
