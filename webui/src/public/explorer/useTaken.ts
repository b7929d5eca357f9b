import { useQueries, useQueryClient } from '@tanstack/react-query';
import type { Entry } from '../../api/fs';
import { folderQuery } from '../../shared/query/folders';

/** useTaken are the names of files in the folders that files go to; a folder that is not there yet has none. */
export function useTaken(
  path: string,
  here: readonly Entry[],
  folders: readonly string[],
): (folder: string) => ReadonlySet<string> {
  const client = useQueryClient();
  const others = [...new Set(folders)].filter((folder) => folder !== path);
  // One after the other: somebody may have chosen a folder with hundreds below it.
  const isRead = (folder: string | undefined) =>
    folder === undefined ||
    !['pending', undefined].includes(client.getQueryState(folderQuery(folder).queryKey)?.status);
  const found = useQueries({
    queries: others.map((folder, at) => ({ ...folderQuery(folder), enabled: isRead(others[at - 1]) })),
  });
  const known = new Map(others.map((folder, at) => [folder, filesOf(found[at]?.data?.listing.items ?? [])]));

  const own = filesOf(here);
  const none: ReadonlySet<string> = new Set();
  return (folder) => (folder === path ? own : (known.get(folder) ?? none));
}

const filesOf = (items: readonly Entry[]): ReadonlySet<string> =>
  new Set(items.filter(({ isDirectory }) => !isDirectory).map(({ name }) => name));
