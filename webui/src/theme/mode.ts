import { readStored, writeStored } from '../config';
import { makeStore, patch, useStore, type Followed } from '../store';
import { grounds } from './grounds';

type ThemeMode = 'auto' | 'light' | 'dark';

const key = 'themeMode';
const order: readonly ThemeMode[] = ['auto', 'light', 'dark'];
const prefersDark = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : undefined;

function stored(): ThemeMode {
  const value = readStored(key);
  return value === 'light' || value === 'dark' ? value : 'auto';
}

/** Look is the mode that the user chose, and the theme that this puts on the screen. */
interface Look {
  mode: ThemeMode;
  theme: 'light' | 'dark';
}

const lookOf = (mode: ThemeMode): Look => ({
  mode,
  theme: mode === 'auto' ? (prefersDark?.matches ? 'dark' : 'light') : mode,
});

const state = makeStore(lookOf(stored()));

/** look is followed by what is drawn in the colours of the theme. */
export const look: Followed<Look> = state;

/** themeMode is what the user chose; resolvedTheme is what is on the screen. */
export const themeMode = () => state.get().mode;
export const resolvedTheme = () => state.get().theme;

/** nextMode is the mode after the given one in the cycle auto, light, dark (§2). */
export function nextMode(current: ThemeMode): ThemeMode {
  return order[(order.indexOf(current) + 1) % order.length] ?? 'auto';
}

export function setThemeMode(next: ThemeMode): void {
  writeStored(key, next);
  apply(next);
}

function apply(next: ThemeMode): void {
  const { theme } = lookOf(next);
  document.documentElement.dataset.theme = theme;
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', grounds[theme]);
  patch(state, { mode: next, theme });
}

/** startTheme applies the stored mode and follows the system and other tabs from then on. */
export function startTheme(): void {
  apply(stored());
  prefersDark?.addEventListener('change', () => apply(themeMode()));
  addEventListener('storage', (event) => {
    if (event.key === key) apply(stored());
  });
}

export const useThemeMode = () => useStore(state, ({ mode }) => mode);
export const useResolvedTheme = () => useStore(state, ({ theme }) => theme);
