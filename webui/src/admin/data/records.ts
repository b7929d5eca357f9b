import { useState } from 'react';
import { useGetList, useGetOne, type RaRecord } from 'react-admin';
import type { Config } from '../../api/admin/storage';
import { useRetryOnline } from '../../shared/query/useRetryOnline';

const anyway = { networkMode: 'always', retry: false } as const;
/** useRecord is a record of a resource; what a list knows of it is there at once. */
export const useRecord = <R extends RaRecord>(resource: string, id: string) =>
  useLasting(useGetOne<R>(resource, { id }, anyway));

// It is not taken from a list and stays as it came: the tag of a form fits what it shows.
const fresh = { ...anyway, staleTime: 'static', gcTime: 0 } as const;

/** useFreshRecord is a record as it is when it is opened, with all that a list leaves out; its `etag` says which version it is. */
export const useFreshRecord = <R extends RaRecord>(resource: string, id: string | undefined) =>
  useLasting(useGetOne<R>(resource, { id, meta: { fresh: true } }, fresh));

const all = { pagination: { page: 1, perPage: 1000 }, sort: { field: 'name', order: 'ASC' } } as const;

/** useConfigs is all storage configs, for what refers to one of them. */
export const useConfigs = () => useLasting(useGetList<Config>('storage-config', all, anyway));

interface Query<T> {
  data: T | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => unknown;
}

/** useLasting is a query whose reason for not being there stays while it is tried again, when the network is back for instance. */
function useLasting<T>({ data, error: problem, isFetching, refetch }: Query<T>) {
  const [last, setLast] = useState(problem);
  const error = isFetching ? last : problem;
  if (error !== last) setLast(error);
  useRetryOnline(problem, refetch);
  return { data, error, isFetching, retry: () => void refetch() };
}
