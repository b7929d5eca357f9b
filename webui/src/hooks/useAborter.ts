import { useEffect, useRef } from 'react';

/** useAborter gives a function that ends what was begun with its last signal and gives the next; leaving the page ends that. */
export function useAborter(): () => AbortSignal {
  const begun = useRef<AbortController>(undefined);
  useEffect(() => () => begun.current?.abort(), []);
  return () => {
    begun.current?.abort();
    begun.current = new AbortController();
    return begun.current.signal;
  };
}
