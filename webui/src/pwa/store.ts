import { useSyncExternalStore } from 'react';

/** A value that components follow. */
export interface Store<T extends object> {
  get: () => T;
  /** set changes some fields and tells everybody, unless nothing has changed. */
  set: (change: Partial<T>) => void;
  use: () => T;
}

export function store<T extends object>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(change) {
      if (Object.entries(change).every(([name, next]) => value[name as keyof T] === next)) return;
      value = { ...value, ...change };
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
