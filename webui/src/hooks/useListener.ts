import { useEffectEvent, useLayoutEffect } from 'react';

/**
 * useListener hears what happens in the window while its component is on the page and `on` holds: the browser's own
 * events, those of elements that rise to it, and the app's. It hears from the moment the component is there: what is
 * shown, and may have the focus already, answers.
 */
export function useListener<K extends keyof WindowEventMap>(
  type: K,
  listener: (event: WindowEventMap[K]) => void,
  on?: boolean,
): void;
export function useListener(type: string, listener: (event: Event) => void, on?: boolean): void;
export function useListener(type: string, listener: (event: never) => void, on = true): void {
  const latest = useEffectEvent(listener as (event: Event) => void);
  useLayoutEffect(() => {
    if (!on) return;
    const call = (event: Event) => latest(event);
    addEventListener(type, call);
    return () => removeEventListener(type, call);
  }, [type, on]);
}
