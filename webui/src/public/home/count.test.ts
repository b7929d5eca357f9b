import { describe, expect, it } from 'vitest';
import { byteLength, countText } from './count';

describe('countText', () => {
  it.each([
    ['', { characters: 0, words: 0, lines: 0, bytes: 0 }],
    ['hello', { characters: 5, words: 1, lines: 1, bytes: 5 }],
    ["don't stop\n", { characters: 11, words: 2, lines: 2, bytes: 11 }],
    ['分享文本 ok', { characters: 7, words: 5, lines: 1, bytes: 15 }],
    ['é', { characters: 1, words: 1, lines: 1, bytes: 2 }],
    ['😀', { characters: 1, words: 0, lines: 1, bytes: 4 }],
  ])('%j', (text, want) => {
    expect(countText(text)).toEqual(want);
  });

  it('counts bytes as UTF-8 does', () => {
    const text = 'aé分😀\n';
    expect(countText(text).bytes).toBe(byteLength(text));
    expect(byteLength(text)).toBe(new TextEncoder().encode(text).length);
  });
});
