import type { QueueItem } from '../shared/offline/db';
import { makeStore } from '../store';

/** The writes that wait for the account that is signed in, as the screen shows them. */
export const queueState = makeStore<{ items: readonly QueueItem[]; syncing: boolean }>({
  items: [],
  syncing: false,
});
