import { ApiError } from '../../api/errors';

/** Switchable is a row of a list that can be turned on and off. */
export interface Switchable {
  id: string;
  is_active: 0 | 1;
  etag?: string;
}

interface Calls {
  update: (id: string, draft: { is_active: boolean }, tag?: string) => Promise<unknown>;
  read: (id: string) => Promise<Pick<Switchable, 'is_active'>>;
}

/**
 * switchRow turns a row on or off as long as it is the one that the list shows, and tells whether it is so now: not
 * when the row has become another meanwhile.
 */
export async function switchRow(
  { id, is_active, etag }: Switchable,
  { update, read }: Calls,
): Promise<boolean> {
  const on = !is_active;
  try {
    await update(id, { is_active: on }, etag);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 412)) throw error;
    return Boolean((await read(id)).is_active) === on;
  }
}
