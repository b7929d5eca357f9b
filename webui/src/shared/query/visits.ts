import { infiniteQueryOptions } from '@tanstack/react-query';
import { visitsOf, type ShareKind } from '../../api/visits';

/** visitsQuery is who opened a share, newest first. */
export const visitsQuery = (kind: ShareKind, id: string) =>
  infiniteQueryOptions({
    queryKey: ['visits', kind, id],
    queryFn: ({ pageParam, signal }) => visitsOf(kind, id, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ visits }) => visits),
    gcTime: 0,
  });
