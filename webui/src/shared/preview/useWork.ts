import { useQuery, type QueryKey } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryClient } from '../query/client';

/**
 * useWork makes something of what it fetches: a query of the one cache, read once for a key and forgotten with the
 * component. `drop` frees what was made when it is not shown any more. Without `enabled` nothing is asked for.
 */
export function useWork<T>(
  key: QueryKey,
  work: (signal: AbortSignal) => Promise<T>,
  { enabled = true, drop }: { enabled?: boolean; drop?: (value: T) => void } = {},
) {
  const { data, isError, isFetching, refetch } = useQuery(
    {
      queryKey: ['preview', ...key],
      queryFn: async ({ signal }) => {
        const value = await work(signal);
        if (signal.aborted) drop?.(value);
        signal.throwIfAborted();
        return { value };
      },
      enabled,
      staleTime: Infinity,
      gcTime: 0,
      structuralSharing: false,
    },
    queryClient,
  );
  useEffect(() => {
    if (data && drop) return () => drop(data.value);
    return undefined;
  }, [data, drop]);
  return {
    value: data?.value,
    failed: isError && !isFetching,
    retry: () => void refetch(),
  };
}
