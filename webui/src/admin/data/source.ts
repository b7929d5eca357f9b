import type { GetListParams, RaRecord } from 'react-admin';

/** A page of a list. */
export interface Found<R> {
  data: R[];
  total: number;
}

/** Source answers for one resource; what it leaves out, the panel does not ask for. */
export interface Source<R extends RaRecord = RaRecord> {
  list: (params: GetListParams, signal?: AbortSignal) => Promise<Found<R>>;
  one?: (id: string) => Promise<R>;
  create?: (data: Partial<R>) => Promise<R>;
  update?: (id: string, data: Partial<R>, before: R) => Promise<R>;
  remove?: (id: string) => Promise<void>;
}
