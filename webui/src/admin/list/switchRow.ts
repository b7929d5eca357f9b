import { ApiError } from '../../api/errors';
import type { Tagged } from '../../api/tagged';

interface Switching<T> {
  /** send changes one field of a row, as long as the row is the one that the list shows. */
  send: () => Promise<unknown>;
  load: () => Promise<Tagged<T>>;
  /** isSo tells whether the field already is what it was to become. */
  isSo: (now: T) => boolean;
}

/** switchRow turns a switch of a row, and tells whether it was: not when the row has become another meanwhile. */
export async function switchRow<T>({ send, load, isSo }: Switching<T>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 412)) throw error;
    return isSo((await load()).value);
  }
}
