import type { ReactNode } from 'react';
import { makeStore, useStore } from '../store';

// The place at the window's lower edge for what goes on while one looks at other pages.
const docked = makeStore<ReactNode>(null);

/** dock shows something on every page until it is told otherwise; null for nothing. */
export const dock = docked.set;

export const useDocked = () => useStore(docked);
