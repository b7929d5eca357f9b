import { useInfiniteQuery } from '@tanstack/react-query';
import type { Query } from '../../api/client';

type Cursor = number | string | null;

export interface Page<R> {
  rows: R[];
  next: Cursor;
}

interface FeedOptions<R> {
  /** name tells the feed from others. */
  name: string;
  load: (query: Query, signal?: AbortSignal) => Promise<Page<R>>;
  /** query narrows the list down; another one begins it anew. */
  query: Query;
  /** every is how often the list is read again while it holds these rows, in milliseconds; false means never. */
  every?: (rows: readonly R[]) => number | false;
}

/** useFeed reads a list whose pages go on behind a cursor. */
export function useFeed<R>({ name, load, query, every }: FeedOptions<R>) {
  const feed = useInfiniteQuery({
    queryKey: ['feed', name, query],
    queryFn: ({ pageParam: before, signal }) => load(before === null ? query : { ...query, before }, signal),
    initialPageParam: null as Cursor,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ rows }) => rows),
    refetchInterval: ({ state: { data } }) =>
      (data && every?.(data.pages.flatMap(({ rows }) => rows))) || false,
  });
  return {
    rows: feed.data,
    error: feed.error,
    hasMore: feed.hasNextPage,
    busy: feed.isFetchingNextPage,
    more: () => void feed.fetchNextPage(),
    refresh: () => void feed.refetch(),
  };
}
