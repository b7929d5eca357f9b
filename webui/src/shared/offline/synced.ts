import { useListener } from '../../hooks/useListener';

const name = 'pp-synced';

/** announceSynced tells the open pages which kinds of waiting writes the server has taken. */
export const announceSynced = (kinds: readonly string[]) =>
  dispatchEvent(new CustomEvent(name, { detail: kinds }));

/** useSynced calls `run` after waiting writes were sent, so that what they changed is read again in place. */
export function useSynced(run: (kinds: readonly string[]) => void): void {
  useListener(name, (event) => run((event as CustomEvent<readonly string[]>).detail));
}
