import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError } from '../../api/client';
import { config } from '../../config';
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
  const [round, setRound] = useState(0);

  // A password that does not fit leads back to the form; everything else ends here.
  const pass = async (
    password: string,
    isLastView: boolean,
    show: (next: Gate<T>) => void,
    signal: AbortSignal,
  ) => {
    try {
      const share = await calls.unlock(password, signal);
      keepPassword(name, password);
      noteNavigation();
      show({ state: 'open', share, password });
    } catch (error) {
      const again =
        error instanceof ApiError && (error.status === 401 || error.status === 429 || error.failure);
      if (again) {
        if (error.status === 401) keepPassword(name, '');
        show({ state: 'password', isLastView, busy: false, error });
      } else {
        show(refusal(error));
      }
    }
  };

  const arrive = useEffectEvent(async (signal: AbortSignal) => {
    const password = givenPassword(name);
    if (atHand !== undefined && round === 0) return;
    const show = (next: Gate<T>) => {
      if (!signal.aborted) setGate(next);
    };
    try {
      const { requiresPassword, isLastView } = isOpen(name) ? openToAll : await calls.peek(signal);
      if (signal.aborted) return;
      if (requiresPassword && !password)
        show({ state: 'password', isLastView, busy: false, error: undefined });
      else if (isLastView)
        show({ state: 'lastView', password: requiresPassword ? password : '', busy: false });
      else if (requiresPassword) await pass(password, isLastView, show, signal);
      else show({ state: 'open', share: await calls.read(signal), password: '' });
    } catch (error) {
      const isLocked = error instanceof ApiError && error.code === 'password_required';
      show(
        isLocked ? { state: 'password', isLastView: false, busy: false, error: undefined } : refusal(error),
      );
    }
  });

  useEffect(() => {
    const leave = new AbortController();
    void arrive(leave.signal);
    return () => leave.abort();
  }, [name, round]);

  return {
    gate,
    unlock: (password) => {
      if (gate.state !== 'password' || gate.busy) return;
      setGate({ ...gate, busy: true, error: undefined });
      void pass(password, gate.isLastView, setGate, new AbortController().signal);
    },
    openLast: () => {
      if (gate.state !== 'lastView' || gate.busy) return;
      setGate({ ...gate, busy: true });
      const { signal } = new AbortController();
      if (gate.password) {
        void pass(gate.password, true, setGate, signal);
        return;
      }
      calls.read(signal).then(
        (share) => {
          // The button that had the focus goes; the share's title takes it.
          noteNavigation();
          setGate({ state: 'open', share, password: '' });
        },
        (error: unknown) => setGate(refusal(error)),
      );
    },
    retry: () => {
      setGate({ state: 'loading' });
      setRound((count) => count + 1);
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
