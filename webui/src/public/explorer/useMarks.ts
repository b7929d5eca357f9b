import { useQuery } from '@tanstack/react-query';
import type { Mark } from '../../api/fs';
import { marksQuery } from '../../shared/query/folders';

/** Marks are the shares of the files of a folder, by file name, newest first. */
export type Marks = ReadonlyMap<string, readonly Mark[]>;

const none: Marks = new Map();

/** byName sorts shares to the files they lead to. */
export function byName(shares: readonly Mark[]): Marks {
  const marks = new Map<string, Mark[]>();
  for (const share of shares) {
    const others = marks.get(share.name);
    if (others) others.push(share);
    else marks.set(share.name, [share]);
  }
  return marks;
}

/** useMarks reads the shares of a folder; it begins when its listing is there, and follows it. */
export function useMarks(path: string, enabled: boolean): Marks {
  return useQuery({ ...marksQuery(path), enabled, select: byName }).data ?? none;
}
