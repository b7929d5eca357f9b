import { describe, expect, it } from 'vitest';
import type { Hit } from '../../api/fs';
import { noFilter, passes, type SearchFilter } from './searchFilter';
import { searches } from './searches';

const now = Date.parse('2026-06-15T12:00:00.000Z');
const hit = (name: string, more: Partial<Hit> = {}): Hit => ({
  name,
  path: `/m/${name}`,
  size: 10,
  modified: '2026-06-15T11:00:00.000Z',
  isDirectory: false,
  mount_name: 'm',
  ...more,
});

describe('filters', () => {
  it.each<[string, Partial<SearchFilter>, Hit, boolean]>([
    ['nothing is asked', {}, hit('a.bin'), true],
    ['a picture', { kind: 'image' }, hit('a.PNG'), true],
    ['not a picture', { kind: 'image' }, hit('a.txt'), false],
    ['code is text', { kind: 'text' }, hit('a.go'), true],
    ['PDF and office are documents', { kind: 'document' }, hit('a.docx'), true],
    ['a folder', { kind: 'folder' }, hit('a', { isDirectory: true }), true],
    ['a folder has no size', { size: 'small' }, hit('a', { isDirectory: true }), false],
    ['just below 1 MB', { size: 'small' }, hit('a', { size: (1 << 20) - 1 }), true],
    ['1 MB', { size: 'medium' }, hit('a', { size: 1 << 20 }), true],
    ['above 100 MB', { size: 'large' }, hit('a', { size: 100 * (1 << 20) + 1 }), true],
    [
      'a day ago to the millisecond',
      { age: 'day' },
      hit('a', { modified: '2026-06-14T12:00:00.000Z' }),
      true,
    ],
    ['a moment longer', { age: 'day' }, hit('a', { modified: '2026-06-14T11:59:59.999Z' }), false],
    ['of unknown time', { age: 'year' }, hit('a', { modified: null }), false],
  ])('%s', (_, filter, found, want) => {
    expect(passes(found, { ...noFilter, ...filter }, now)).toBe(want);
  });
});

describe('past searches', () => {
  it('are the last ten, each once, the newest first', () => {
    for (let at = 0; at < 12; at++) searches.note(`q${at}`);
    searches.note('q5');
    expect(searches.get().map(({ query }) => query)).toEqual([
      'q5',
      'q11',
      'q10',
      'q9',
      'q8',
      'q7',
      'q6',
      'q4',
      'q3',
      'q2',
    ]);
    searches.clear();
    expect(searches.get()).toEqual([]);
  });
});
