import { useEffect, useState, type RefObject } from 'react';
import { useLatest } from '../../hooks/useLatest';
import type { Entry } from '../../api/fs';
import { touching, type Box, type Layout } from './layout';
import type { Selection } from './useSelection';

/** How far the mouse moves before it draws a band, in px. */
const tolerance = 6;

/** Near the window's edge, in px, the page scrolls while a band is drawn. */
const edge = 48;

/** What a band cannot begin on: these have a drag or a click of their own. */
const busy = 'a, button, input, label, [draggable="true"]';

interface Scene {
  /** field is where a band may begin. */
  field: RefObject<HTMLElement | null>;
  list: RefObject<HTMLElement | null>;
  entries: readonly Entry[];
  layout: Layout;
  selection: Selection;
}

/**
 * useRubberBand selects what a mouse draws a rectangle around. What is hit
 * comes from the layout, since most of a long listing is not drawn. It answers
 * the rectangle in px of the listing while one is drawn.
 */
export function useRubberBand({ field, list, entries, layout, selection }: Scene): Box | undefined {
  const [band, setBand] = useState<Box>();
  const scene = useLatest({ entries, layout, selection });

  useEffect(() => {
    const area = field.current;
    if (!area) return;
    const leave = new AbortController();
    const { signal } = leave;
    let from: { x: number; y: number } | undefined;
    let before: readonly Entry[] = [];
    let drawing = false;
    let timer = 0;
    const mouse = { x: 0, y: 0 };

    // Places in the listing stay the same while the page scrolls under the mouse.
    const here = () => {
      const corner = list.current?.getBoundingClientRect();
      return { x: mouse.x - (corner?.left ?? 0), y: mouse.y - (corner?.top ?? 0) };
    };
    const draw = () => {
      if (!from) return;
      const to = here();
      if (!drawing && Math.hypot(to.x - from.x, to.y - from.y) < tolerance) return;
      drawing = true;
      const box = {
        left: Math.min(from.x, to.x),
        top: Math.min(from.y, to.y),
        width: Math.abs(to.x - from.x),
        height: Math.abs(to.y - from.y),
      };
      setBand(box);
      const { entries: all, layout: places, selection: chosen } = scene.current;
      const hits = touching(places, all.length, box).flatMap((index) => all[index] ?? []);
      chosen.replace([...before, ...hits]);
    };
    const crawl = () => {
      const over = mouse.y > innerHeight - edge ? 1 : mouse.y < edge ? -1 : 0;
      if (over && drawing) {
        scrollBy(0, over * 16);
        draw();
      }
      timer = requestAnimationFrame(crawl);
    };
    const end = () => {
      cancelAnimationFrame(timer);
      from = undefined;
      setBand(undefined);
    };
    area.addEventListener(
      'pointerdown',
      (event) => {
        if (event.pointerType !== 'mouse' || event.button !== 0 || !list.current) return;
        if (event.target instanceof Element && event.target.closest(busy)) return;
        [mouse.x, mouse.y] = [event.clientX, event.clientY];
        from = here();
        drawing = false;
        const keep = event.ctrlKey || event.metaKey || event.shiftKey;
        before = keep ? scene.current.selection.entries : [];
        timer = requestAnimationFrame(crawl);
      },
      { signal },
    );
    addEventListener(
      'pointermove',
      (event) => {
        if (!from) return;
        [mouse.x, mouse.y] = [event.clientX, event.clientY];
        // No text is marked on the way.
        if (drawing) getSelection()?.removeAllRanges();
        draw();
      },
      { signal },
    );
    addEventListener('pointerup', end, { signal });
    addEventListener('pointercancel', end, { signal });
    // The click that ends a band opens nothing; one on empty ground lets go of what is selected.
    area.addEventListener(
      'click',
      (event) => {
        if (drawing) event.stopPropagation();
        else if (event.target === area && scene.current.selection.selecting) scene.current.selection.clear();
        if (drawing) event.preventDefault();
        drawing = false;
      },
      { signal, capture: true },
    );
    return () => {
      cancelAnimationFrame(timer);
      leave.abort();
    };
  }, [field, list, scene]);

  return band;
}
