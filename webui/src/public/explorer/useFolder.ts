import { folderQuery, type Kept } from '../../shared/query/folders';
import { useReading } from '../../shared/query/useReading';

export interface Folder {
  /** kept is what the folder holds, possibly read a while ago; undefined before the first answer. */
  kept: Kept | undefined;
  error: unknown;
  failed: boolean;
  busy: boolean;
}

/** useFolder reads a folder, and goes on showing what it held while it is read again. */
export function useFolder(path: string): Folder {
  const { data, error, isFetching } = useReading(folderQuery(path));
  return { kept: data, error, failed: error !== null, busy: isFetching };
}
