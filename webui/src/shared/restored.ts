import { readStored, writeStored } from '../config';

const key = 'pp.restoredAt';

/** Milliseconds after a restore in which a session that ends has ended because of it. */
const soon = 10 * 60_000;

/** noteRestored says that a backup is about to be restored, to this tab after its reload and to the others. */
export const noteRestored = () => void writeStored(key, String(Date.now()));

/** wasRestored says whether a backup was restored a moment ago, so that the sessions of before are no more. */
export const wasRestored = (): boolean => Date.now() - Number(readStored(key)) < soon;
