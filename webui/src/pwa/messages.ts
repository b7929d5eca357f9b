/** What a page asks of the service worker (§4); answers come through the message's port. */
export type Request = { type: 'SKIP_WAITING' | 'GET_SYNC_STATUS' | 'REGISTER_BACKGROUND_SYNC' };

export interface SyncStatus {
  type: 'SYNC_STATUS';
  /** waiting is how many writes wait on this device. */
  waiting: number;
  /** backgroundSync says whether the browser can wake the worker when the network is back. */
  backgroundSync: boolean;
}

/** Tag of the background sync, fixed by §4. */
export const syncTag = 'sync-offline-queue';

export const isRequest = (data: unknown): data is Request =>
  typeof data === 'object' &&
  data !== null &&
  ['SKIP_WAITING', 'GET_SYNC_STATUS', 'REGISTER_BACKGROUND_SYNC'].includes((data as Request).type);
