import { beforeEach, describe, expect, it } from 'vitest';
import { setHead } from '../testing/head';
import { nextMode, resolvedTheme, setThemeMode, startTheme, themeMode } from './mode';
import { dark, light, tokensCss } from './tokens';

beforeEach(() => {
  setHead('<meta name="theme-color" content="">');
  startTheme();
});

describe('theme mode', () => {
  it('cycles auto, light, dark', () => {
    expect(nextMode('auto')).toBe('light');
    expect(nextMode('light')).toBe('dark');
    expect(nextMode('dark')).toBe('auto');
  });

  it('is remembered and shown', () => {
    setThemeMode('dark');
    expect(localStorage.getItem('themeMode')).toBe('dark');
    expect(document.documentElement.dataset.theme).toBe('dark');
    expect(document.querySelector('meta')?.content).toBe(dark.bg);
    setThemeMode('light');
    expect(document.querySelector('meta')?.content).toBe(light.bg);
  });

  it('follows another tab', () => {
    localStorage.setItem('themeMode', 'dark');
    dispatchEvent(new StorageEvent('storage', { key: 'themeMode' }));
    expect(resolvedTheme()).toBe('dark');
  });

  it('takes an unknown stored value as auto', () => {
    localStorage.setItem('themeMode', 'pink');
    startTheme();
    expect(themeMode()).toBe('auto');
  });
});

/** Contrast of two hex colours by WCAG 2. */
function contrast(a: string, b: string): number {
  const luminance = (hex: string) => {
    const [r = 0, g = 0, blue = 0] = [1, 3, 5]
      .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

describe('tokens', () => {
  it.each([
    ['light', light],
    ['dark', dark],
  ])('keep their contrast in the %s theme', (_, palette) => {
    for (const ground of [palette.bg, palette.surface, palette.wash]) {
      for (const name of ['ink', 'muted', 'accent', 'danger', 'warn', 'ok'] as const) {
        expect.soft(contrast(palette[name], ground), `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    expect(contrast(palette.lineStrong, palette.surface)).toBeGreaterThanOrEqual(3);
    expect(contrast(palette.onAccent, palette.accent)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette.onDanger, palette.danger)).toBeGreaterThanOrEqual(4.5);
  });

  it('become variables of both themes', () => {
    expect(tokensCss()).toContain(`--on-accent: ${light.onAccent};`);
    expect(tokensCss()).toContain(`--on-accent: ${dark.onAccent};`);
    expect(tokensCss()).toContain('--space-4: 1rem;');
  });
});
