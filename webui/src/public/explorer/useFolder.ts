import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { isAborted } from '../../api/client';
import { listFolder } from '../../api/fs';
import { listings, type Kept } from './listings';

export interface Folder {
  /** kept is what the folder holds, possibly read a while ago; undefined before the first answer. */
  kept: Kept | undefined;
  error: unknown;
  failed: boolean;
  busy: boolean;
  /** reload reads again; fresh bypasses the server's cache. */
  reload: (fresh: boolean) => void;
}

interface Ask {
  number: number;
  fresh: boolean;
}

/** useFolder reads a folder, and goes on showing what it held while it is read again. */
export function useFolder(path: string): Folder {
  const kept = useSyncExternalStore(listings.subscribe, () => listings.get(path));
  const era = useSyncExternalStore(listings.subscribe, listings.era);
  const [ask, setAsk] = useState<Ask>({ number: 0, fresh: false });
  const [done, setDone] = useState<{ path: string; ask: Ask; error?: unknown }>();

  useEffect(() => {
    const leave = new AbortController();
    let age = 0;
    const onAge = (seconds: number) => {
      age = seconds;
    };
    listFolder(path, ask.fresh, leave.signal, onAge).then(
      (listing) => {
        listings.put(path, listing, age);
        setDone({ path, ask });
      },
      (error: unknown) => {
        if (!isAborted(error)) setDone({ path, ask, error });
      },
    );
    return () => leave.abort();
  }, [path, ask, era]);

  const current = done?.path === path ? done : undefined;
  return {
    kept,
    error: current?.error,
    failed: current?.error !== undefined,
    busy: current?.ask !== ask,
    reload: useCallback((fresh) => setAsk((before) => ({ number: before.number + 1, fresh })), []),
  };
}
