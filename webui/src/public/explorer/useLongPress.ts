import { useEffect, useMemo, useRef, type MouseEvent, type PointerEvent } from 'react';

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
  const latest = useRef({ open, slide });
  useEffect(() => {
    latest.current = { open, slide };
  });

  return useMemo(() => {
    const cancel = () => {
      clearTimeout(press.current?.timer);
      press.current = undefined;
    };
    const farFrom = (from: Point, event: PointerEvent) =>
      Math.hypot(event.clientX - from.x, event.clientY - from.y) > tolerance;
    const of = (what: T) => ({
      onPointerDown(event: PointerEvent) {
        cancel();
        pressed.current = false;
        if (event.pointerType === 'mouse') return;
        const { clientX: x, clientY: y } = event;
        const timer = window.setTimeout(() => {
          pressed.current = true;
          latest.current.open(what, { x, y });
        }, after);
        press.current = { x, y, timer };
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
        // A phone reports its own long press besides.
        if (pressed.current) return;
        cancel();
        const box = event.currentTarget.getBoundingClientRect();
        // The menu key has no place of its own.
        const byKey = event.clientX === 0 && event.clientY === 0;
        latest.current.open(
          what,
          byKey ? { x: box.left + 48, y: box.bottom } : { x: event.clientX, y: event.clientY },
        );
      },
      onClickCapture(event: MouseEvent) {
        if (!pressed.current) return;
        pressed.current = false;
        event.preventDefault();
        event.stopPropagation();
      },
    });
    return { of, held: () => pressed.current && press.current !== undefined };
  }, []);
}
