import { act, renderHook } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../api/fs';
import { useSelection } from './useSelection';

const entry = (name: string, more: Partial<Entry> = {}): Entry => ({
  name,
  path: `/m/${name}`,
  isDirectory: false,
  ...more,
});
const all = [
  entry('a'),
  entry('b'),
  entry('c', { reachable: false }),
  entry('d'),
  entry('e', { isVirtual: true }),
];
const [a, b, , d, e] = all as [Entry, Entry, Entry, Entry, Entry];

function open(listed: readonly Entry[] = all) {
  const hook = renderHook(({ entries }) => useSelection(entries), { initialProps: { entries: listed } });
  const names = () => hook.result.current.entries.map(({ name }) => name);
  return { ...hook, names, now: () => hook.result.current };
}

describe('a selection', () => {
  it('is toggled one by one, and mounts cannot be selected', () => {
    const { now, names } = open();
    act(() => now().toggle(a));
    act(() => now().toggle(e));
    expect(names()).toEqual(['a']);
    act(() => now().toggle(a));
    expect(names()).toEqual([]);
    expect(now().selecting).toBe(false);
  });

  it('is extended in both directions from the last one chosen, without what has no path', () => {
    const { now, names } = open();
    act(() => now().toggle(d));
    act(() => now().extend(a));
    expect(names()).toEqual(['a', 'b', 'd']);
  });

  it('begins at an entry when nothing was chosen before', () => {
    const { now, names } = open();
    act(() => now().extend(b));
    expect(names()).toEqual(['b']);
    act(() => now().extend(d));
    expect(names()).toEqual(['b', 'd']);
  });

  it('takes all that can be taken, and what a band draws around', () => {
    const { now, names } = open();
    act(() => now().all());
    expect(names()).toEqual(['a', 'b', 'd']);
    act(() => now().replace([b, e]));
    expect(names()).toEqual(['b']);
    act(() => now().add([a]));
    expect(names()).toEqual(['a', 'b']);
  });

  it('forgets what is not listed any more', () => {
    const { now, names, rerender } = open();
    act(() => now().all());
    rerender({ entries: [a, d] });
    expect(names()).toEqual(['a', 'd']);
  });

  it('ends with clearing, and can be begun with nothing in it', () => {
    const { now } = open();
    act(() => now().start());
    expect(now().selecting).toBe(true);
    act(() => now().clear());
    expect(now().selecting).toBe(false);
  });
});
