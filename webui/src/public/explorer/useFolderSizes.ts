import { useEffect, useRef, useState } from 'react';
import { isAborted } from '../../api/client';
import { errorText } from '../../api/errorText';
import { folderSize, type Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatSize } from '../../shared/format';
import { toast } from '../../shared/ui';

export interface FolderSizes {
  /** texts are what is shown as the size of a folder, by its path. */
  texts: ReadonlyMap<string, string>;
  counting: (entry: Entry) => boolean;
  /** count sums a folder up, or stops doing so. */
  count: (entry: Entry) => void;
  clear: () => void;
}

/** useFolderSizes sums folders up when somebody wants to know; leaving the folder stops it. */
export function useFolderSizes(): FolderSizes {
  const t = useT();
  const language = useLanguage();
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const [running, setRunning] = useState<ReadonlyMap<string, AbortController>>(new Map());
  const stop = useRef(new AbortController());
  useEffect(() => {
    const leave = new AbortController();
    stop.current = leave;
    return () => leave.abort();
  }, []);

  const without = (path: string) => (before: ReadonlyMap<string, AbortController>) =>
    new Map([...before].filter(([other]) => other !== path));

  async function count({ path, name }: Entry) {
    const before = running.get(path);
    if (before) {
      before.abort();
      return;
    }
    const leave = new AbortController();
    stop.current.signal.addEventListener('abort', () => leave.abort(), { signal: leave.signal });
    setRunning((now) => new Map(now).set(path, leave));
    try {
      const { size, files, partial } = await folderSize(path, leave.signal);
      const text = formatSize(size, language);
      setTexts((now) => new Map(now).set(path, partial ? t('explorer.sizes.partial', { size: text }) : text));
      const counted = { smart_count: files, name, size: text, count: formatNumber(files, language) };
      toast.info(t(partial ? 'explorer.sizes.partOf' : 'explorer.sizes.holds', counted));
    } catch (error) {
      if (!isAborted(error)) toast.error(errorText(error, t));
    }
    setRunning(without(path));
  }

  return {
    texts: running.size === 0 ? texts : new Map([...texts, ...[...running.keys()].map(busyAt)]),
    counting: ({ path }) => running.has(path),
    count: (entry) => void count(entry),
    clear: () => setTexts(new Map()),
  };

  function busyAt(path: string): [string, string] {
    return [path, t('explorer.sizes.counting')];
  }
}
