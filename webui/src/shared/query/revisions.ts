import { queryOptions } from '@tanstack/react-query';
import { getPaste, keepRevisions, listRevisions, readRevision, restoreRevision } from '../../api/pastes';
import type { RevisionHistory } from '../../api/types';
import { queryClient } from './client';

/** A Source is what earlier versions are kept of. */
export interface Source {
  /** of chooses the words. */
  of: 'text' | 'file' | 'share';
  /** id of the text, or path of the file. */
  id: string;
  history: (signal: AbortSignal) => Promise<RevisionHistory>;
  /** present is the content as it stands, with its tag. */
  present: (signal: AbortSignal) => Promise<{ text: string; etag: string }>;
  revision: (version: number, signal: AbortSignal) => Promise<string>;
  bytes: (version: number) => Promise<Blob>;
  restore: (version: number, etag: string) => Promise<unknown>;
  keep: (keep: boolean) => Promise<unknown>;
}

/** textSource is an own text, by id or slug. */
export const textSource = (id: string): Source => ({
  of: 'text',
  id,
  history: (signal) => listRevisions(id, signal),
  present: async (signal) => {
    const { paste, etag } = await getPaste(id, signal);
    return { text: paste.content, etag };
  },
  revision: (version, signal) => readRevision(id, version, signal),
  bytes: async (version) => new Blob([await readRevision(id, version)], { type: 'text/plain;charset=utf-8' }),
  restore: (version, etag) => restoreRevision(id, version, etag),
  keep: (keep) => keepRevisions(id, keep),
});

/** historyQuery is what is kept of earlier contents. */
export const historyQuery = (source: Source) =>
  queryOptions({
    queryKey: ['revisions', source.of, source.id],
    queryFn: ({ signal }) => source.history(signal),
  });

/** presentQuery is the content as it stands, with its tag. */
export const presentQuery = (source: Source) =>
  queryOptions({
    queryKey: ['revisions', source.of, source.id, 'present'],
    queryFn: ({ signal }) => source.present(signal),
  });

/** revisionQuery is one earlier content; its version may come again once all are gone, so it is not kept for long. */
export const revisionQuery = (source: Source, version: number) =>
  queryOptions({
    queryKey: ['revisions', source.of, source.id, version],
    queryFn: ({ signal }) => source.revision(version, signal),
  });

/** revisionsChanged has a content and what is kept of earlier ones read again. */
export const revisionsChanged = ({ of, id }: Pick<Source, 'of' | 'id'>) =>
  queryClient.invalidateQueries({ queryKey: ['revisions', of, id] });
