import { describe, expect, it } from 'vitest';
import type { SearchNarrow } from '../../api/fs';
import { narrowOf, noFilter, type SearchFilter } from './searchFilter';

const now = Date.parse('2026-06-15T12:00:00.000Z');
const megabyte = 1 << 20;

describe('filters', () => {
  it.each<[string, Partial<SearchFilter>, SearchNarrow]>([
    ['nothing is asked', {}, {}],
    ['a picture', { kind: 'image' }, { kind: 'image' }],
    ['just below 1 MB', { size: 'small' }, { max_size: megabyte - 1 }],
    ['1 to 100 MB', { size: 'medium' }, { min_size: megabyte, max_size: 100 * megabyte }],
    ['above 100 MB', { size: 'large' }, { min_size: 100 * megabyte + 1 }],
    ['a day', { age: 'day' }, { modified_after: '2026-06-14T12:00:00.000Z' }],
    ['bounds of one choice wait for the other', { least: '2', from: '2026-06-01' }, {}],
    [
      'a size of one’s own',
      { size: 'own', least: '0,5', most: '2' },
      { min_size: megabyte / 2, max_size: 2 * megabyte },
    ],
    ['only the most', { size: 'own', most: '1.5' }, { max_size: 1.5 * megabyte }],
    ['sizes that cross', { size: 'own', least: '3', most: '2' }, { min_size: 3 * megabyte }],
    ['no number', { size: 'own', least: 'big', most: '-1' }, {}],
    [
      'days of one’s own are whole',
      { age: 'own', from: '2026-06-01', to: '2026-06-01' },
      {
        modified_after: new Date(2026, 5, 1).toISOString(),
        modified_before: new Date(2026, 5, 1, 23, 59, 59, 999).toISOString(),
      },
    ],
    [
      'days that cross',
      { age: 'own', from: '2026-06-02', to: '2026-06-01' },
      { modified_after: new Date(2026, 5, 2).toISOString() },
    ],
    ['no day', { age: 'own', to: 'soon' }, {}],
  ])('%s', (_, filter, want) => {
    expect(narrowOf({ ...noFilter, ...filter }, now)).toEqual(want);
  });
});
