import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isAborted } from '../../api/client';
import { errorText } from '../../api/errorText';
import { folderSize, type Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { toast } from '../../shared/ui';

export interface FolderSizes {
  /** texts are what is shown as the size of a folder, by its path. */
  texts: ReadonlyMap<string, string>;
  counting: (entry: Entry) => boolean;
  /** count sums a folder up, or stops doing so. */
  count: (entry: Entry) => void;
  clear: () => void;
}

const sizeKey = (path: string) => ['size', path];

const nobody: readonly Entry[] = [];

/** useFolderSizes sums folders up when somebody wants to know; leaving the folder stops it. */
export function useFolderSizes(): FolderSizes {
  const t = useT();
  const language = useLanguage();
  const client = useQueryClient();
  const [wanted, setWanted] = useState(nobody);

  async function sum({ path, name }: Entry, signal: AbortSignal) {
    try {
      const counted = await folderSize(path, signal);
      const { size, files, partial } = counted;
      const said = { smart_count: files, name, size: formatSize(size, language) };
      toast.info(t(partial ? 'explorer.sizes.partOf' : 'explorer.sizes.holds', said));
      return counted;
    } catch (error) {
      if (!isAborted(error)) toast.error(errorText(error, t));
      throw error;
    }
  }

  const results = useQueries({
    queries: wanted.map((entry) => ({
      queryKey: sizeKey(entry.path),
      queryFn: ({ signal }: { signal: AbortSignal }) => sum(entry, signal),
      staleTime: Infinity,
      gcTime: 0,
    })),
  });
  const texts = new Map<string, string>();
  wanted.forEach(({ path }, at) => {
    const result = results[at];
    const size = result?.data && formatSize(result.data.size, language);
    if (result?.isFetching) texts.set(path, t('explorer.sizes.counting'));
    else if (size) texts.set(path, result.data?.partial ? t('explorer.sizes.partial', { size }) : size);
  });
  const counting = ({ path }: Entry) =>
    results[wanted.findIndex((entry) => entry.path === path)]?.isFetching ?? false;

  return {
    texts,
    counting,
    count(entry) {
      const known = wanted.some(({ path }) => path === entry.path);
      if (!known) setWanted([...wanted, entry]);
      else if (counting(entry)) setWanted(wanted.filter(({ path }) => path !== entry.path));
      else void client.refetchQueries({ queryKey: sizeKey(entry.path) });
    },
    clear: () => setWanted(nobody),
  };
}
