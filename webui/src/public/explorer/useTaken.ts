import { useEffect, useState } from 'react';
import { listFolder, type Entry } from '../../api/fs';

/** useTaken are the names of files in the folders that files go to; a folder that is not there yet has none. */
export function useTaken(
  path: string,
  here: readonly Entry[],
  folders: readonly string[],
): (folder: string) => ReadonlySet<string> {
  const [known, setKnown] = useState<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  const missing = folders.find((folder) => folder !== path && !known.has(folder));

  useEffect(() => {
    if (missing === undefined) return;
    const leave = new AbortController();
    const put = (items: readonly Entry[]) =>
      setKnown((before) => new Map(before).set(missing, filesOf(items)));
    listFolder(missing, false, leave.signal).then(
      ({ items }) => put(items),
      () => {
        if (!leave.signal.aborted) put([]);
      },
    );
    return () => leave.abort();
  }, [missing]);

  const own = filesOf(here);
  const none: ReadonlySet<string> = new Set();
  return (folder) => (folder === path ? own : (known.get(folder) ?? none));
}

const filesOf = (items: readonly Entry[]): ReadonlySet<string> =>
  new Set(items.filter(({ isDirectory }) => !isDirectory).map(({ name }) => name));
