import type { GetListParams, RaRecord } from 'react-admin';
import { isQueued } from '../../api/errors';
import type { Tagged } from '../../api/tagged';

/** A page of a list. */
export interface Found<R> {
  data: R[];
  total: number;
}

/** Meta is what an action needs besides the record, such as what else is to be deleted with it. */
export type Meta = Record<string, unknown>;

/**
 * Source answers for one resource; what it leaves out, the panel does not ask for. D is what is sent of a record. Methods, not
 * properties: so a source of one kind of record fits the table of all.
 */
export interface Source<R extends RaRecord = RaRecord, D = Partial<R>> {
  list(params: GetListParams, signal?: AbortSignal): Promise<Found<R>>;
  read?(id: string): Promise<Tagged<R>>;
  create?(data: D): Promise<R>;
  /** update fails with 412 when the record is no longer the one that `tag` names. */
  update?(id: string, data: D, tag: string): Promise<unknown>;
  remove?(id: string, meta?: Meta): Promise<unknown>;
  /** removeMany is for what the server deletes in one call; without it each record is removed by itself. */
  removeMany?(ids: readonly string[], meta?: Meta): Promise<void>;
}

/** NotAll says of an action on many records which of them it failed for, and why. */
export class NotAll extends Error {
  constructor(
    readonly done: number,
    /** queued counts what waits on this device until the network is back. */
    readonly queued: number,
    readonly failed: readonly { id: string; error: unknown }[],
  ) {
    super(`${failed.length} failed, ${queued} wait`);
  }
}

/** eachOf does something for many records, a few at a time; it throws a NotAll where that did not work for every one. */
export async function eachOf(ids: readonly string[], run: (id: string) => Promise<unknown>): Promise<void> {
  const failed: { id: string; error: unknown }[] = [];
  let queued = 0;
  const waiting = [...ids];
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await run(id);
      } catch (error) {
        if (isQueued(error)) queued++;
        else failed.push({ id, error });
      }
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  if (queued + failed.length > 0) throw new NotAll(ids.length - failed.length - queued, queued, failed);
}
