import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useGate } from './useGate';

it('ends what is under way when the visitor leaves, whatever was pressed', async () => {
  for (const last of [false, true]) {
    const asked: AbortSignal[] = [];
    const wait = (signal: AbortSignal) => {
      asked.push(signal);
      return new Promise<string>(() => undefined);
    };
    const calls = {
      peek: () => Promise.resolve({ requiresPassword: !last, isLastView: last }),
      read: wait,
      unlock: (_: string, signal: AbortSignal) => wait(signal),
    };
    const { result, unmount } = renderHook(() => useGate('paste/tides', calls));
    await waitFor(() => expect(result.current.gate.state).toBe(last ? 'lastView' : 'password'));
    act(() => (last ? result.current.openLast() : result.current.unlock('sesame')));
    expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
    unmount();
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
  }
});
