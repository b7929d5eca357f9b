import { useEffect, useEffectEvent, useState } from 'react';

/**
 * useTimer runs something `after` so many milliseconds, counted anew whenever `since` changes; undefined stops it.
 * It runs once, and what it does belongs to the last drawing.
 */
export function useTimer(run: () => void, after: number | undefined, since?: unknown): void {
  const due = useEffectEvent(run);
  useEffect(() => {
    if (after === undefined) return;
    const timer = setTimeout(() => due(), after);
    return () => clearTimeout(timer);
  }, [after, since]);
}

/** useSettled follows a value once it has rested for so many milliseconds. */
export function useSettled<T>(value: T, rest: number): T {
  const [settled, setSettled] = useState(value);
  useTimer(() => setSettled(value), Object.is(value, settled) ? undefined : rest, value);
  return settled;
}
