import { ownPrefix, readStoredJson, writeStored } from '../../config';

const key = `${ownPrefix}searches`;

/** Searches that are remembered. */
const most = 10;

export interface PastSearch {
  query: string;
  /** timestamp in milliseconds. */
  timestamp: number;
}

const isPast = (value: unknown): value is PastSearch[] =>
  Array.isArray(value) && value.every((one) => typeof (one as PastSearch | null)?.query === 'string');

/** searches are what was searched for last on this device. */
export const searches = {
  get: () => readStoredJson(key, isPast) ?? [],
  note(query: string) {
    const others = searches.get().filter((one) => one.query !== query);
    writeStored(key, JSON.stringify([{ query, timestamp: Date.now() }, ...others].slice(0, most)));
  },
  clear: () => writeStored(key, ''),
};
