import { useInsertionEffect, useRef, type RefObject } from 'react';

/** useLatest keeps the value of the last drawing at hand for what is called later and is not made anew with each. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
