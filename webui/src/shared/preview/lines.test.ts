import { describe, expect, it } from 'vitest';
import { countLines, linesHash, parseLines, splitHighlighted } from './lines';

describe('parseLines', () => {
  it.each([
    ['#L10-L20', { from: 10, to: 20 }],
    ['#L10', { from: 10, to: 10 }],
    ['20-10', { from: 10, to: 20 }],
    ['7', { from: 7, to: 7 }],
    ['#l3-5', { from: 3, to: 5 }],
    ['#intro', undefined],
    ['0', undefined],
    ['', undefined],
    ['L1-L2-L3', undefined],
  ])('%s', (text, want) => {
    expect(parseLines(text)).toEqual(want);
  });

  it('reads what linesHash writes', () => {
    for (const range of [
      { from: 1, to: 1 },
      { from: 3, to: 9 },
    ]) {
      expect(parseLines(linesHash(range))).toEqual(range);
    }
  });
});

describe('splitHighlighted', () => {
  it('carries open spans over line ends', () => {
    expect(splitHighlighted('<span class="a">x\n<span class="b">y\nz</span></span>\nw')).toEqual([
      '<span class="a">x</span>',
      '<span class="a"><span class="b">y</span></span>',
      '<span class="a"><span class="b">z</span></span>',
      'w',
    ]);
  });

  it('keeps empty lines', () => {
    expect(splitHighlighted('a\n\nb')).toEqual(['a', '', 'b']);
  });
});

describe('countLines', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
    ['a\r\nb\r\n', 2],
    ['\n', 1],
  ])('counts the lines of %j', (text, want) => {
    expect(countLines(text)).toBe(want);
  });
});
