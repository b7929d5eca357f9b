import { expect, it } from 'vitest';
import { mono, sans } from './tokens';

it('every stack of fonts ends with those that have emoji, in colour', () => {
  for (const stack of [sans, mono])
    expect(stack).toMatch(/, "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji"$/);
});
