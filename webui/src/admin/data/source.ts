import type { GetListParams, RaRecord } from 'react-admin';

/** A page of a list. */
export interface Found<R> {
  data: R[];
  total: number;
}

/**
 * Source answers for one resource; what it leaves out, the panel does not ask for. D is what is sent of a record. Methods, not
 * properties: so a source of one kind of record fits the table of all.
 */
export interface Source<R extends RaRecord = RaRecord, D = Partial<R>> {
  list(params: GetListParams, signal?: AbortSignal): Promise<Found<R>>;
  one?(id: string): Promise<R>;
  create?(data: D): Promise<R>;
  update?(id: string, data: D, before: R): Promise<R>;
  remove?(id: string): Promise<void>;
}
