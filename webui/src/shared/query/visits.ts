import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { readAccess, visitsOf, type ShareKind } from '../../api/visits';

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

/** accessQuery is who may open a share; a form begins with it. */
export const accessQuery = (kind: ShareKind, id: string) =>
  queryOptions({
    queryKey: ['access', kind, id],
    queryFn: ({ signal }) => readAccess(kind, id, signal),
    staleTime: 'static',
    gcTime: 0,
  });
