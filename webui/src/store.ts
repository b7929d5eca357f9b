import { useSyncExternalStore } from 'react';

/** A value that scripts and components follow, and that others write. */
export interface Followed<T> {
  /** get is the present value: the same object until it changes. */
  get: () => T;
  /** subscribe calls back after every change. The result ends it. */
  subscribe: (listener: () => void) => () => void;
}

/** A value of this page that several parts share. */
export interface Store<T> extends Followed<T> {
  /** set replaces the value and tells everybody who follows it, unless it is the same one. */
  set: (next: T) => void;
}

/** makeStore makes the one kind of store for what the client itself knows; what the server knows is no part of it. */
export function makeStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** patch changes some fields of a store's value, unless they are that already. */
export function patch<T extends object>(store: Store<T>, change: Partial<T>): void {
  const now = store.get();
  const next = { ...now, ...change };
  if (Object.keys(change).some((name) => !Object.is(next[name as keyof T], now[name as keyof T])))
    store.set(next);
}

/**
 * useStore renders again when the value changes, or what `select` takes of it; that has to be the same as long as
 * nothing has changed, so it makes no objects.
 */
export function useStore<T>(store: Followed<T>): T;
export function useStore<T, Part>(store: Followed<T>, select: (value: T) => Part): Part;
export function useStore<T, Part>(
  store: Followed<T>,
  select: (value: T) => T | Part = (value) => value,
): T | Part {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
