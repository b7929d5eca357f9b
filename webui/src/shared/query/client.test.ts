import { QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { setCredential } from '../../api/credentials';
import { adminSession, keySession, show, visitor } from '../../auth/session';
import { queryClient } from './client';

let ends: (() => void) | undefined;

/** follow reads what `answers` gives, as a page does that shows it. */
function follow(read: () => string) {
  const queryFn = vi.fn(() => Promise.resolve(read()));
  const observer = new QueryObserver(queryClient, { queryKey: ['test'], queryFn });
  ends = observer.subscribe(() => undefined);
  return queryFn;
}

const kept = () => queryClient.getQueryData(['test']);

function signIn() {
  setCredential({ kind: 'admin', token: 'one' });
  show(adminSession(true));
}

afterEach(() => {
  ends?.();
  queryClient.clear();
  setCredential({ kind: 'none' });
  show(visitor);
});

describe('what was read', () => {
  it('outlives the confirmation of a session', async () => {
    signIn();
    const read = follow(() => 'mine');
    await vi.waitFor(() => expect(kept()).toBe('mine'));
    show(adminSession());
    expect(kept()).toBe('mine');
    expect(read).toHaveBeenCalledOnce();
  });

  it('is read anew for another account', async () => {
    signIn();
    let whose = 'one';
    follow(() => whose);
    await vi.waitFor(() => expect(kept()).toBe('one'));
    whose = 'two';
    setCredential({ kind: 'apikey', key: 'two' });
    show(keySession({ bits: 256 }));
    expect(kept()).toBeUndefined();
    await vi.waitFor(() => expect(kept()).toBe('two'));
  });

  it('is gone after sign-out, and not asked for by what leaves the screen', async () => {
    signIn();
    const read = follow(() => 'mine');
    await vi.waitFor(() => expect(kept()).toBe('mine'));
    addEventListener('auth-state-changed', () => queueMicrotask(() => ends?.()), { once: true });
    setCredential({ kind: 'none' });
    show(visitor);
    expect(kept()).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(read).toHaveBeenCalledOnce();
  });
});
