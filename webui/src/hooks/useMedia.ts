import { useSyncExternalStore } from 'react';

/** nothingToDrag holds where no pointer can drag a file into the page, as on a phone. */
export const nothingToDrag = 'not all and (any-pointer: fine)';

/** useMedia follows whether a media query holds. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
