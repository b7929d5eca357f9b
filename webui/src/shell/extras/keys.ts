import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../../config';

const key = 'pp.keysOff';
let shown = false;
const listeners = new Set<() => void>();

/** keysOff says whether "?" was switched off on this device (WCAG 2.1.4). */
export const keysOff = () => readStored(key) === 'yes';
export const setKeysOff = (off: boolean) => writeStored(key, off ? 'yes' : '');

/** showKeys opens or closes the list of keys. */
export function showKeys(next: boolean): void {
  shown = next;
  for (const listener of listeners) listener();
}

export const useKeysShown = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
