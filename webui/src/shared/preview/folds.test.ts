import { describe, expect, it } from 'vitest';
import { allOf, foldsOf, hiddenBy, unfoldFor } from './folds';

describe('foldsOf', () => {
  it.each([
    ['nothing in flat text', 'a\nb\nc', []],
    ['nothing in an empty text', '', []],
    ['an indented block', 'if a:\n  b\n  c\nd', [[1, 3]]],
    ['a block that ends the text', 'if a:\n  b', [[1, 2]]],
    [
      'blocks in blocks',
      'a {\n  b {\n    c\n  }\n}',
      [
        [1, 4],
        [2, 3],
      ],
    ],
    ['no empty lines at the end of a block', 'a:\n  b\n\n  c\n\n\nd', [[1, 4]]],
    ['tabs and spaces', 'a:\n\tb\n    c\nd', [[1, 3]]],
    ['brackets without indentation', 'a {\nb\nc\n}', [[1, 3]]],
    ['no brackets that close on the next line', 'a {\n}', []],
    ['no brackets in strings', 'a "{"\nb\nc "}"', []],
    ['a bracket that never closes as nothing', '(a {\nb\n}', [[1, 2]]],
    ['lines that end with a carriage return', 'a:\r\n  b\r\n\r\nc\r', [[1, 2]]],
  ])('finds %s', (_, text, want) => {
    expect([...foldsOf(text.split('\n'))]).toEqual(want);
  });

  it('takes a text of many levels without going over it again for each', () => {
    const deep = Array.from({ length: 5000 }, (_, index) => `${' '.repeat(index)}x`);
    expect(foldsOf(deep).size).toBe(4999);
  });
});

const folds = new Map([
  [1, 10],
  [3, 5],
  [7, 9],
  [12, 14],
]);

describe('allOf', () => {
  it.each([
    ['leaves the block around everything open', '{\n  a: {\n    b\n  }\n}', [2]],
    ['folds it where it is the only one', '{\n  a\n}', [1]],
    ['folds every block of a text that goes on', 'a {\n  b\n}\nc {\n  d\n}', [1, 4]],
  ])('%s', (_, text, want) => {
    const lines = text.split('\n');
    expect([...allOf(foldsOf(lines), lines.length)]).toEqual(want);
  });
});

describe('hiddenBy', () => {
  it('joins blocks in blocks', () => {
    expect(hiddenBy(folds, new Set([12, 3, 1]))).toEqual([
      { from: 2, to: 10 },
      { from: 13, to: 14 },
    ]);
  });

  it('leaves the first line of a block in sight', () => {
    expect(hiddenBy(folds, new Set([3, 7]))).toEqual([
      { from: 4, to: 5 },
      { from: 8, to: 9 },
    ]);
  });
});

describe('unfoldFor', () => {
  it('opens every block around the lines and no other', () => {
    expect([...unfoldFor(folds, new Set([1, 3, 7, 12]), { from: 4, to: 4 })]).toEqual([7, 12]);
  });

  it('opens what a range runs through', () => {
    expect([...unfoldFor(folds, new Set([3, 7, 12]), { from: 5, to: 13 })]).toEqual([]);
  });

  it('changes nothing for the line that a block begins with', () => {
    const folded = new Set([3]);
    expect(unfoldFor(folds, folded, { from: 3, to: 3 })).toBe(folded);
  });
});
