import { describe, expect, it } from 'vitest';
import { isNumber, readTable } from './table';

const read = (text: string, more: Partial<Parameters<typeof readTable>[1]> = {}) =>
  readTable(text, { tabs: false, most: 10, cut: false, ...more });

describe('a table', () => {
  it('has its first line as head, and values that are quoted', () => {
    expect(read('name,said\nAda,"one, two"\nBo,"a ""quote""\nand a second line"\n')).toEqual({
      head: ['name', 'said'],
      rows: [
        ['Ada', 'one, two'],
        ['Bo', 'a "quote"\nand a second line'],
      ],
      whole: true,
      widest: 2,
    });
  });

  it.each([
    ['semicolons', '船;吨\nAurora;3,5\nBora;2,5\n'],
    ['bars', '船|吨\nAurora|3,5\nBora|2,5\n'],
    ['tabs', '船\t吨\nAurora\t3,5\nBora\t2,5\n'],
  ])('is guessed to be parted by %s', (_, text) => {
    expect(read(text)).toMatchObject({
      head: ['船', '吨'],
      rows: [
        ['Aurora', '3,5'],
        ['Bora', '2,5'],
      ],
    });
  });

  it('has tabs between its values when it is called so', () => {
    expect(read('a,b\tc\n1,2\t3\n', { tabs: true }).rows).toEqual([['1,2', '3']]);
  });

  it.each([
    [2, false],
    [3, true],
    [4, true],
  ])('of three rows, asked for %i, is whole: %s', (most, whole) => {
    const table = read('head\n1\n2\n3\n', { most });
    expect(table.whole).toBe(whole);
    expect(table.rows).toHaveLength(Math.min(most, 3));
  });

  it('leaves out the row in which a text was cut', () => {
    expect(read('a,b\n1,2\n3,"4', { cut: true }).rows).toEqual([['1', '2']]);
  });

  it('is as wide as its widest row', () => {
    expect(read('a,b\n1,2,3\n').widest).toBe(3);
  });

  it('is nothing in an empty text', () => {
    expect(read('')).toEqual({ head: [], rows: [], whole: true, widest: 0 });
  });
});

describe('a number', () => {
  it.each([
    ['12', true],
    ['-1,234.50', true],
    ['7 %', true],
    ['19.90 €', true],
    ['', false],
    ['12 boats', false],
    ['2026-11-24', false],
  ])('%s: %s', (value, want) => {
    expect(isNumber(value)).toBe(want);
  });
});
