import { useMemo, useRef, type MouseEvent, type PointerEvent } from 'react';
import { useLatest } from '../../hooks/useLatest';

/** Milliseconds a finger rests before it asks for the menu. */
const after = 500;

/** How far it may move meanwhile, in px. */
const tolerance = 10;

export interface Point {
  x: number;
  y: number;
}

/**
 * useLongPress answers the handlers that open a menu by right click, the menu
 * key and a resting finger. The click that ends a long press is swallowed; a
 * finger that goes on moving after it slides.
 */
export function useLongPress<T>(
  open: (what: T, at: Point) => void,
  slide?: (what: T, at: Point) => void,
): { of: (what: T) => object; held: () => boolean } {
  const press = useRef<{ x: number; y: number; timer: number } | undefined>(undefined);
  const pressed = useRef(false);
  const latest = useLatest({ open, slide });

  return useMemo(() => {
    const cancel = () => {
      clearTimeout(press.current?.timer);
      press.current = undefined;
      pressed.current = false;
    };
    const rest = (what: T, { x, y }: Point) => {
      pressed.current = true;
      swallowClick();
      latest.current.open(what, { x, y });
    };
    const farFrom = (from: Point, event: PointerEvent) =>
      Math.hypot(event.clientX - from.x, event.clientY - from.y) > tolerance;
    const of = (what: T) => ({
      onPointerDown(event: PointerEvent) {
        cancel();
        if (event.pointerType === 'mouse') return;
        const { clientX: x, clientY: y } = event;
        press.current = { x, y, timer: window.setTimeout(() => rest(what, { x, y }), after) };
      },
      onPointerMove(event: PointerEvent) {
        const from = press.current;
        if (!from || !farFrom(from, event)) return;
        if (pressed.current) latest.current.slide?.(what, { x: event.clientX, y: event.clientY });
        else cancel();
      },
      onPointerUp: cancel,
      onPointerCancel: cancel,
      onContextMenu(event: MouseEvent) {
        event.preventDefault();
        // A phone reports its own long press besides, before or after this one.
        if (pressed.current) return;
        if (press.current) {
          clearTimeout(press.current.timer);
          rest(what, press.current);
          return;
        }
        const box = event.currentTarget.getBoundingClientRect();
        // The menu key has no place of its own.
        const byKey = event.clientX === 0 && event.clientY === 0;
        latest.current.open(
          what,
          byKey ? { x: box.left + 48, y: box.bottom } : { x: event.clientX, y: event.clientY },
        );
      },
    });
    return { of, held: () => pressed.current && press.current !== undefined };
  }, [latest]);
}

/**
 * swallowClick takes the click that the finger's release may bring, wherever it lands: the menu has come to lie under
 * the finger. Clicks of keys and of assistive technology have no count, and pass.
 */
function swallowClick(): void {
  const swallow = (event: globalThis.MouseEvent) => {
    if (event.detail === 0) return;
    event.preventDefault();
    event.stopPropagation();
    done();
  };
  const done = () => {
    removeEventListener('click', swallow, true);
    removeEventListener('pointerdown', done, true);
  };
  addEventListener('click', swallow, true);
  addEventListener('pointerdown', done, true);
}
