import { useEffect, useEffectEvent } from 'react';

/** useListener hears what happens in the window while its component is on the page. */
export function useListener<K extends keyof WindowEventMap>(
  type: K,
  listener: (event: WindowEventMap[K]) => void,
): void {
  const latest = useEffectEvent(listener);
  useEffect(() => {
    const call = (event: WindowEventMap[K]) => latest(event);
    addEventListener(type, call);
    return () => removeEventListener(type, call);
  }, [type]);
}
