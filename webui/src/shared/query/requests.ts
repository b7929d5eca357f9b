import { queryOptions } from '@tanstack/react-query';
import { listRequests } from '../../api/requests';
import { queryClient } from './client';

/** requestsIntoQuery are the caller's requests that take files into a folder, at its path with or without "/" at the end. */
export const requestsIntoQuery = (path: string) =>
  queryOptions({
    queryKey: ['requests', path],
    queryFn: async ({ signal }) => {
      const folder = path.replace(/\/$/, '');
      const { requests } = await listRequests({ open: 1, search: folder, limit: 100 }, signal);
      return requests.filter((request) => request.folder === folder);
    },
  });

/** requestsChanged has the lists of requests read again. */
export const requestsChanged = () => queryClient.invalidateQueries({ queryKey: ['requests'] });
