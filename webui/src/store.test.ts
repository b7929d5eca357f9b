import { act, renderHook } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { makeStore, patch, useStore } from './store';

describe('a store', () => {
  it('tells everybody who follows it, until they leave', () => {
    const count = makeStore(1);
    const [first, second] = [vi.fn(), vi.fn()];
    const leave = count.subscribe(first);
    count.subscribe(second);
    count.set(2);
    expect(count.get()).toBe(2);
    leave();
    count.set(3);
    expect(first).toHaveBeenCalledTimes(1);
    expect(second).toHaveBeenCalledTimes(2);
  });

  it('shows the new value to those it tells', () => {
    const count = makeStore(1);
    const seen: number[] = [];
    count.subscribe(() => seen.push(count.get()));
    count.set(2);
    expect(seen).toEqual([2]);
  });

  it('says nothing when the value stays', () => {
    const list = makeStore(['a']);
    const told = vi.fn();
    list.subscribe(told);
    list.set(list.get());
    expect(told).not.toHaveBeenCalled();
    list.set(['a']);
    expect(told).toHaveBeenCalledTimes(1);
  });
});

describe('patch', () => {
  it('changes the fields it names and leaves the others', () => {
    const form = makeStore({ name: 'a', size: 1 });
    const before = form.get();
    patch(form, { size: 2 });
    expect(form.get()).toEqual({ name: 'a', size: 2 });
    expect(before).toEqual({ name: 'a', size: 1 });
  });

  it('says nothing when they are that already', () => {
    const form = makeStore<{ name: string; size?: number }>({ name: 'a' });
    const [told, before] = [vi.fn(), form.get()];
    form.subscribe(told);
    patch(form, { name: 'a' });
    patch(form, {});
    expect(form.get()).toBe(before);
    expect(told).not.toHaveBeenCalled();
  });
});

describe('useStore', () => {
  it('renders again with each value', () => {
    const count = makeStore(1);
    const { result } = renderHook(() => useStore(count));
    expect(result.current).toBe(1);
    act(() => count.set(2));
    expect(result.current).toBe(2);
  });

  it('renders again only when the selected part changes', () => {
    const form = makeStore({ name: 'a', size: 1 });
    const render = vi.fn(() => useStore(form, ({ name }) => name));
    const { result } = renderHook(render);
    act(() => patch(form, { size: 2 }));
    expect(render).toHaveBeenCalledTimes(1);
    act(() => patch(form, { name: 'b' }));
    expect(render).toHaveBeenCalledTimes(2);
    expect(result.current).toBe('b');
  });

  it('follows no more when the component has gone', () => {
    const count = makeStore(1);
    const render = vi.fn(() => useStore(count));
    const { unmount } = renderHook(render);
    unmount();
    act(() => count.set(2));
    expect(render).toHaveBeenCalledTimes(1);
  });
});
