import { readStored, writeStored } from '../../config';
import { makeStore, useStore } from '../../store';

const key = 'pp.keysOff';
const shown = makeStore(false);

/** keysOff says whether "?" was switched off on this device (WCAG 2.1.4). */
export const keysOff = () => readStored(key) === 'yes';
export const setKeysOff = (off: boolean) => writeStored(key, off ? 'yes' : '');

/** showKeys opens or closes the list of keys. */
export const showKeys = shown.set;

export const useKeysShown = () => useStore(shown);
