import { queryOptions } from '@tanstack/react-query';
import { listFiles } from '../../api/files';
import { queryClient } from './client';

const lists = ['files'];

/** filesChanged has the lists of one's own files on the screen read again. */
export const filesChanged = () => queryClient.invalidateQueries({ queryKey: lists });

/** newestFilesQuery is the newest files of the caller. */
export const newestFilesQuery = (limit: number) =>
  queryOptions({
    queryKey: [...lists, limit],
    queryFn: async ({ signal }) => (await listFiles({ limit }, signal)).files.slice(0, limit),
  });

/** foundFilesQuery is the newest files of the caller with a word in them. */
export const foundFilesQuery = (search: string) =>
  queryOptions({
    queryKey: [...lists, 'found', search],
    queryFn: async ({ signal }) => (await listFiles({ limit: 100, ...(search && { search }) }, signal)).files,
  });
