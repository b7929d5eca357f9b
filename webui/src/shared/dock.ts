import { useSyncExternalStore, type ComponentType } from 'react';

// The place at the window's lower edge for what goes on while one looks at other pages.
let docked: ComponentType | undefined;
const listeners = new Set<() => void>();

/** dock shows a component on every page until it is told otherwise. */
export function dock(component: ComponentType | undefined): void {
  docked = component;
  for (const listener of listeners) listener();
}

export const useDocked = () => useSyncExternalStore(subscribe, () => docked);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
