import { queryOptions } from '@tanstack/react-query';
import { linksOfFolder } from '../../api/collections';
import { queryClient } from './client';

/** linksOfFolderQuery are the caller's links of a folder, at its path with or without "/" at the end. */
export const linksOfFolderQuery = (path: string) =>
  queryOptions({
    queryKey: ['collections', path],
    queryFn: async ({ signal }) => (await linksOfFolder(path.replace(/\/$/, ''), signal)).collections,
  });

/** collectionsChanged has the lists of collections read again. */
export const collectionsChanged = () => queryClient.invalidateQueries({ queryKey: ['collections'] });
