import { queryOptions } from '@tanstack/react-query';
import { getPaste, listRevisions, readRevision } from '../../api/pastes';
import { queryClient } from './client';

/** historyQuery is what is kept of the earlier contents of an own text. */
export const historyQuery = (id: string) =>
  queryOptions({ queryKey: ['revisions', id], queryFn: ({ signal }) => listRevisions(id, signal) });

/** presentQuery is an own text as it stands, with its tag. */
export const presentQuery = (id: string) =>
  queryOptions({ queryKey: ['revisions', id, 'present'], queryFn: ({ signal }) => getPaste(id, signal) });

/** revisionQuery is one earlier content, which never changes. */
export const revisionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['revision', id, version],
    queryFn: ({ signal }) => readRevision(id, version, signal),
    staleTime: Infinity,
  });

/** revisionsChanged has an own text and what is kept of it read again. */
export const revisionsChanged = (id: string) =>
  queryClient.invalidateQueries({ queryKey: ['revisions', id] });
