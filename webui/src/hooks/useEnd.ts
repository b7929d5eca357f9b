import { useEffect, useEffectEvent, useRef } from 'react';

/** useEnd tells once that what went on has come to its end. */
export function useEnd(active: boolean, tell: () => void): void {
  const was = useRef(active);
  const ended = useEffectEvent(tell);
  useEffect(() => {
    if (was.current && !active) ended();
    was.current = active;
  }, [active]);
}
