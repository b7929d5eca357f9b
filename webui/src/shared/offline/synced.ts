import { useEffect, useEffectEvent } from 'react';
import { makeStore } from '../../store';

const synced = makeStore<readonly string[]>([]);

/** announceSynced tells the open pages which kinds of waiting writes the server has taken. */
export const announceSynced = synced.set;

/** useSynced calls `run` after waiting writes were sent, so that what they changed is read again in place. */
export function useSynced(run: (kinds: readonly string[]) => void): void {
  const latest = useEffectEvent(run);
  useEffect(() => synced.subscribe(() => latest(synced.get())), []);
}
