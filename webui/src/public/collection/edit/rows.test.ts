import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../api/types';
import { isArranged, missing, moved, withFirst, withMore, type Row } from './rows';

const row = (id: string, filename = `${id}.txt`): Row => ({ id, filename, mimetype: 'text/plain', size: 1 });
const rows = [row('a'), row('b'), row('c')];
const collection = { items: rows } as unknown as Collection;

describe('the items of a collection in the editor', () => {
  it('move one place up or down, and not over the end', () => {
    expect(moved(rows, 2, 0).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
    expect(moved(rows, 0, 1).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
    expect(moved(rows, 0, -1)).toEqual(rows);
    expect(moved(rows, 2, 3)).toEqual(rows);
  });

  it('take more files once', () => {
    expect(withMore(rows, [row('c'), row('d')]).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('begin with a text, which takes the place of an older README alone', () => {
    const old = [row('a'), row('r', 'ReadMe.md')];
    expect(withFirst(old, row('n', 'README.md')).map(({ id }) => id)).toEqual(['n', 'a']);
    expect(withFirst(old, row('n', 'notes.md')).map(({ id }) => id)).toEqual(['n', 'a', 'r']);
  });

  it('tell what saving deletes and whether there is anything to save', () => {
    expect(missing(collection, [row('c'), row('d')])).toEqual(['a', 'b']);
    expect(isArranged(collection, [...rows])).toBe(false);
    expect(isArranged(collection, moved(rows, 0, 1))).toBe(true);
    expect(isArranged(collection, [row('a', 'new.txt'), ...rows.slice(1)])).toBe(true);
    expect(isArranged(collection, rows.slice(1))).toBe(true);
  });
});
