/** What a page asks of the service worker (§4); answers come through the message's port. */
export type Request = { type: 'SKIP_WAITING' | 'GET_SYNC_STATUS' | 'REGISTER_BACKGROUND_SYNC' };

export interface SyncStatus {
  type: 'SYNC_STATUS';
  /** waiting is how many writes wait on this device. */
  waiting: number;
  /** backgroundSync says whether the browser can wake the worker when the network is back. */
  backgroundSync: boolean;
}

/** Time in milliseconds after which a question to the worker counts as unanswered (§9). */
const answerWithin = 5000;

/** Tag of the background sync, fixed by §4. */
export const syncTag = 'sync-offline-queue';

export const isRequest = (data: unknown): data is Request =>
  typeof data === 'object' &&
  data !== null &&
  ['SKIP_WAITING', 'GET_SYNC_STATUS', 'REGISTER_BACKGROUND_SYNC'].includes((data as Request).type);

/** ask puts a question to a worker and waits for the answer; undefined when none comes in time. */
export function ask<T>(worker: ServiceWorker, request: Request): Promise<T | undefined> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => resolve(undefined), answerWithin);
    port1.onmessage = (event: MessageEvent<T>) => {
      clearTimeout(timer);
      resolve(event.data);
    };
    worker.postMessage(request, [port2]);
  });
}
