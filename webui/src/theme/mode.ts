import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../config';
import { grounds } from './grounds';

export type ThemeMode = 'auto' | 'light' | 'dark';

const key = 'themeMode';
const order: readonly ThemeMode[] = ['auto', 'light', 'dark'];
const listeners = new Set<() => void>();
const prefersDark = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : undefined;

function stored(): ThemeMode {
  const value = readStored(key);
  return value === 'light' || value === 'dark' ? value : 'auto';
}

let mode: ThemeMode = stored();

/** themeMode is what the user chose; resolvedTheme is what is on the screen. */
export const themeMode = () => mode;
export const resolvedTheme = (): 'light' | 'dark' =>
  mode === 'auto' ? (prefersDark?.matches ? 'dark' : 'light') : mode;

/** nextMode is the mode after the given one in the cycle auto, light, dark (§2). */
export function nextMode(current: ThemeMode): ThemeMode {
  return order[(order.indexOf(current) + 1) % order.length] ?? 'auto';
}

export function setThemeMode(next: ThemeMode): void {
  writeStored(key, next);
  apply(next);
}

function apply(next: ThemeMode): void {
  mode = next;
  const theme = resolvedTheme();
  document.documentElement.dataset.theme = theme;
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', grounds[theme]);
  for (const listener of listeners) listener();
}

/** startTheme applies the stored mode and follows the system and other tabs from then on. */
export function startTheme(): void {
  apply(stored());
  prefersDark?.addEventListener('change', () => apply(mode));
  addEventListener('storage', (event) => {
    if (event.key === key) apply(stored());
  });
}

/** subscribeTheme calls back after every change of mode or theme. The result ends it. */
export function subscribeTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useThemeMode = () => useSyncExternalStore(subscribeTheme, themeMode);
export const useResolvedTheme = () => useSyncExternalStore(subscribeTheme, resolvedTheme);
