/** focusables are the elements a keyboard reaches by itself. */
const focusables = 'a[href], button, input, select, textarea, summary, iframe, [tabindex], [contenteditable]';

/**
 * scrollStop is the ref of a box that holds more than it shows, which it lets the keyboard scroll: as long as nothing
 * inside can be focused, the box itself can. Its only child grows with what is in it.
 */
export function scrollStop(box: HTMLElement | null) {
  if (!box) return;
  const observer = new ResizeObserver(() => {
    const stop = box.scrollHeight > box.clientHeight && !box.querySelector(focusables);
    if (stop) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  });
  observer.observe(box);
  if (box.firstElementChild) observer.observe(box.firstElementChild);
  return () => observer.disconnect();
}
