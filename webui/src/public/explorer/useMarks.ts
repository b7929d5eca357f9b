import { useCallback, useEffect, useState } from 'react';
import { listMarks, type Mark } from '../../api/fs';

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

/** useMarks reads the shares of a folder after its listing, whose time is given: at; 0 reads nothing. */
export function useMarks(path: string, at: number): { marks: Marks; reload: () => void } {
  const [asks, setAsks] = useState(0);
  const [read, setRead] = useState<{ path: string; marks: Marks }>();
  useEffect(() => {
    if (at === 0) return;
    const leave = new AbortController();
    listMarks(path, leave.signal).then(
      ({ shares }) => setRead({ path, marks: byName(shares) }),
      // The folder stands without them.
      () => undefined,
    );
    return () => leave.abort();
  }, [path, at, asks]);
  return {
    marks: read?.path === path ? read.marks : none,
    reload: useCallback(() => setAsks((before) => before + 1), []),
  };
}
