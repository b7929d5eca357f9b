import { getFile } from '../../api/files';
import type { FileRow } from '../../api/types';
import type { UrlInfo } from '../../api/urls';
import { atSignOut } from '../../shared/atSignOut';
import { filesChanged } from '../../shared/query/files';
import type { ShareValues } from '../../shared/shareform';
import { keepAwake } from '../../shared/uploader/keepAwake';
import {
  shareRemote,
  type RemoteMethod,
  type RemoteStep,
  type RemoteTerms,
} from '../../shared/uploader/remote';
import { RemoteMeter, type RemotePace } from '../../shared/uploader/remoteMeter';
import { reasonToStay } from '../../shared/unsaved';
import { makeStore, patch, useStore } from '../../store';

/** RemoteJob is the file of an address that is being shared, and the form it is shared with. */
export interface RemoteJob {
  info: UrlInfo;
  /** name it will be shared under. */
  name: string;
  values: ShareValues;
  /** step is how far it is; undefined once it has failed. */
  step: (RemoteStep & RemotePace) | undefined;
  /** error says why it has failed. */
  error: unknown;
}

interface Remote {
  job: RemoteJob | undefined;
  /** shared are the files of this tab's addresses, newest first. */
  shared: readonly FileRow[];
}

const none: Remote = { job: undefined, shared: [] };
const state = makeStore(none);
const sharedCount = makeStore(0);
let running: AbortController | undefined;

/** followShared calls back after every file of an address that was shared. The result ends it. */
export const followShared = sharedCount.subscribe;

/** useRemote is the file of an address that is on its way, whatever page it was begun on. */
export const useRemote = (): Remote => useStore(state);

/**
 * runRemote shares what an address holds. It outlives the page, so that the transfer goes on while its owner
 * looks at something else. Answers whether the file is shared; why it is not stands in the job.
 */
export async function runRemote(
  begun: Pick<RemoteJob, 'info' | 'name' | 'values'>,
  terms: RemoteTerms,
  method: RemoteMethod,
): Promise<boolean> {
  const stop = (running = new AbortController());
  const rest = keepAwake();
  const meter = new RemoteMeter();
  const show = (job: Partial<RemoteJob>) => {
    // After sign-out it is nobody's any more.
    if (running === stop) patch(state, { job: { ...begun, step: undefined, error: undefined, ...job } });
  };
  try {
    const made = await shareRemote(begun.info, terms, method, {
      signal: stop.signal,
      onStep: (step) => show({ step: { ...step, ...meter.add(step, begun.info.size, performance.now()) } }),
    });
    // The list of recent uploads shows it in any case.
    const row = await getFile(made.id, stop.signal).catch(() => undefined);
    if (running !== stop) return false;
    const { shared } = state.get();
    patch(state, { job: undefined, shared: row ? [row, ...shared] : shared });
    sharedCount.set(sharedCount.get() + 1);
    void filesChanged();
    return true;
  } catch (error) {
    show({ error });
    return false;
  } finally {
    rest();
  }
}

/** stopRemote cancels the transfer; what has arrived is given up. */
export const stopRemote = (): void => running?.abort();

/** dropRemote forgets a job that has failed. */
export const dropRemote = (): void => {
  const { job } = state.get();
  if (job && !job.step) patch(state, { job: undefined });
};

export const amendRemote = (file: FileRow): void =>
  patch(state, { shared: state.get().shared.map((one) => (one.id === file.id ? file : one)) });

export const hideRemotes = (): void => patch(state, { shared: [] });

reasonToStay({ holds: () => Boolean(state.get().job?.step) });

atSignOut(() => {
  stopRemote();
  running = undefined;
  state.set(none);
});
