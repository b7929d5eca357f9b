import type { ApiError } from './errors';

/** Copy is what this device has kept of an answer. */
export interface Copy {
  body: unknown;
  etag: string;
  /** takenAt is when the copy was taken, in milliseconds since 1970. */
  takenAt: number;
}

/** LostCall is a call that did not reach the server. */
export interface LostCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** path with its query. */
  path: string;
  body: unknown;
  /** etag that a change is based on; "" for none. */
  etag: string;
  idempotencyKey: string;
  /** tell has the owner told when what this call makes is opened. */
  tell?: boolean;
}

/** Offline is what works without a network. Each part is fetched when it is first needed; a failed fetch rejects. */
export interface Offline {
  /** standIn answers a lost call, or throws an ApiError: the given one where it cannot help. */
  standIn: () => Promise<(call: LostCall, error: ApiError) => Promise<Copy>>;
  /** standBy gives the copy for an answer that takes long, undefined where there is none. */
  standBy: () => Promise<
    (path: string, asked: Promise<{ status: number; body: unknown }>) => Promise<Copy | undefined>
  >;
  /** settleQueue asks somebody who signs out what becomes of the changes that still wait. */
  settleQueue: () => Promise<() => Promise<void>>;
}

const absent = () => Promise.reject(new Error('nothing works without a network here'));

let filled: Offline = { standIn: absent, standBy: absent, settleQueue: absent };

/** fillOffline says what works without a network. It is called once, at the start. */
export function fillOffline(offline: Offline): void {
  filled = offline;
}

/** offline is what works without a network; before fillOffline nothing does. */
export const offline = (): Offline => filled;
