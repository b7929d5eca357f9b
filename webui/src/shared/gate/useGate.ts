import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError } from '../../api/client';
import { config } from '../../config';
import { useAborter } from '../../hooks/useAborter';
import { noteNavigation } from '../page';
import { givenPassword, keepPassword } from './password';

/** What can be asked about a share. The three calls take no view, one view, one view. */
interface GateCalls<T> {
  peek: (signal: AbortSignal) => Promise<{ requiresPassword: boolean; isLastView: boolean }>;
  read: (signal: AbortSignal) => Promise<T>;
  unlock: (password: string, signal: AbortSignal) => Promise<T>;
}

/** Gate is how far a visitor has come to a share. */
export type Gate<T> =
  | { state: 'loading' }
  | { state: 'password'; isLastView: boolean; busy: boolean; error: ApiError | undefined }
  | { state: 'lastView'; password: string; busy: boolean }
  | { state: 'open'; share: T; password: string }
  | { state: 'gone'; reason: 'expired' | 'used_up' | '' }
  | { state: 'missing' }
  | { state: 'failed'; error: unknown };

export interface GateControl<T> {
  gate: Gate<T>;
  unlock: (password: string) => void;
  /** openLast takes the last view, after the visitor has agreed. */
  openLast: () => void;
  retry: () => void;
}

/**
 * useGate leads a visitor past password and view limit. It asks first and
 * opens second, so that link scanners and hesitant people use no view.
 *
 * `name` tells shares apart in the tab's memory of passwords, for instance
 * "paste/abc". A password in the page's address is tried once and taken out.
 * `atHand` is the share when it was read before; then nothing is asked.
 */
export function useGate<T>(name: string, calls: GateCalls<T>, atHand?: T): GateControl<T> {
  const [gate, setGate] = useState<Gate<T>>(() =>
    atHand === undefined ? { state: 'loading' } : { state: 'open', share: atHand, password: '' },
  );
  const begin = useAborter();

  /** step asks something in place of what was asked before, and shows what came of it unless the visitor has left. */
  const step = (ask: (signal: AbortSignal) => Promise<Gate<T>>) => {
    const signal = begin();
    void ask(signal)
      .catch(refusal)
      .then((next) => {
        if (!signal.aborted) setGate(next);
      });
  };

  /** read opens the share; afterwards its title takes the focus from the button that has gone. */
  const read = async (signal: AbortSignal): Promise<Gate<T>> => {
    const share = await calls.read(signal);
    if (gate.state === 'lastView' && !signal.aborted) noteNavigation();
    return { state: 'open', share, password: '' };
  };

  // A password that does not fit leads back to the form; everything else ends here.
  const unlock = async (password: string, isLastView: boolean, signal: AbortSignal): Promise<Gate<T>> => {
    try {
      const share = await calls.unlock(password, signal);
      keepPassword(name, password);
      if (!signal.aborted) noteNavigation();
      return { state: 'open', share, password };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) keepPassword(name, '');
      else if (error.status !== 429 && !error.failure) throw error;
      return { state: 'password', isLastView, busy: false, error };
    }
  };

  const arrive = async (signal: AbortSignal): Promise<Gate<T>> => {
    const password = givenPassword(name);
    try {
      const { requiresPassword, isLastView } = isOpen(name) ? openToAll : await calls.peek(signal);
      if (requiresPassword && !password)
        return { state: 'password', isLastView, busy: false, error: undefined };
      if (isLastView) return { state: 'lastView', password: requiresPassword ? password : '', busy: false };
      return await (requiresPassword ? unlock(password, isLastView, signal) : read(signal));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'password_required')) throw error;
      return { state: 'password', isLastView: false, busy: false, error: undefined };
    }
  };

  const first = useEffectEvent(() => {
    if (atHand === undefined) step(arrive);
    else givenPassword(name);
  });
  useEffect(() => first(), []);

  return {
    gate,
    unlock: (password) => {
      if (gate.state !== 'password' || gate.busy) return;
      setGate({ ...gate, busy: true, error: undefined });
      step((signal) => unlock(password, gate.isLastView, signal));
    },
    openLast: () => {
      if (gate.state !== 'lastView' || gate.busy) return;
      setGate({ ...gate, busy: true });
      step((signal) => (gate.password ? unlock(gate.password, true, signal) : read(signal)));
    },
    retry: () => {
      setGate({ state: 'loading' });
      step(arrive);
    },
  };
}

const openToAll = { requiresPassword: false, isLastView: false };
let told = config.openShare;

/** isOpen says once that the server has told with the page that anybody may open the share. */
function isOpen(name: string): boolean {
  const open = told === name;
  told = '';
  return open && navigator.onLine;
}

function refusal(error: unknown): { state: 'missing' } | { state: 'failed'; error: unknown } | Gone {
  if (!(error instanceof ApiError)) return { state: 'failed', error };
  if (error.status === 404) return { state: 'missing' };
  if (error.status === 410) return { state: 'gone', reason: reasonOf(error.code) };
  return { state: 'failed', error };
}

interface Gone {
  state: 'gone';
  reason: 'expired' | 'used_up' | '';
}

function reasonOf(code: string): Gone['reason'] {
  return code === 'expired' || code === 'used_up' ? code : '';
}
