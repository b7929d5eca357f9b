import { readStored, writeStored } from '../../config';
import { makeStore } from '../../store';

/** How what is shared is shown. */
export const looks = ['list', 'grid', 'gallery'] as const;
export type Look = (typeof looks)[number];

const key = 'pp.collectionLook';
const stored = makeStore<Look>(looks.find((look) => look === readStored(key)) ?? 'list');

/** look is how this device shows what is shared. */
export const look = {
  get: stored.get,
  subscribe: stored.subscribe,
  set(next: Look) {
    stored.set(next);
    writeStored(key, next);
  },
};
