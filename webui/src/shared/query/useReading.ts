import { useQuery, useQueryClient, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { useRetryOnline } from './useRetryOnline';

/**
 * useReading is useQuery for what says why it could not be read: the reason stays while it is tried again, which it is
 * by itself when the network is back. `replace` puts what was read elsewhere in its place.
 */
export function useReading<T, K extends QueryKey>(options: UseQueryOptions<T, Error, T, K>) {
  const client = useQueryClient();
  const { data, error: problem, isFetching, refetch } = useQuery(options);
  const [last, setLast] = useState(problem);
  const error = isFetching ? last : problem;
  if (error !== last) setLast(error);
  useRetryOnline(problem, refetch);
  return {
    data,
    error,
    isFetching,
    retry: () => void refetch(),
    replace: (now: T) => void client.setQueryData<T>(options.queryKey, now),
  };
}
