import { useSyncExternalStore, type ReactNode } from 'react';

// The place at the window's lower edge for what goes on while one looks at other pages.
let docked: ReactNode;
const listeners = new Set<() => void>();

/** dock shows something on every page until it is told otherwise; null for nothing. */
export function dock(node: ReactNode): void {
  docked = node;
  for (const listener of listeners) listener();
}

export const useDocked = () => useSyncExternalStore(subscribe, () => docked);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
