import { describe, expect, it } from 'vitest';
import type { Entry } from '../../api/fs';
import { extensionChanges } from '../../shared/preview/kind';
import { freeName, nameProblem, nextByName, nextSort, sortEntries } from './entries';

const entry = (name: string, more: Partial<Entry> = {}): Entry => ({
  name,
  path: `/m/${name}`,
  isDirectory: false,
  ...more,
});
const folder = (name: string) => entry(name, { isDirectory: true, path: `/m/${name}/` });
const names = (entries: readonly Entry[]) => entries.map(({ name }) => name);

describe('sortEntries', () => {
  const all = [
    entry('b10.txt', { size: 5, modified: '2026-01-02T00:00:00.000Z' }),
    folder('zoo'),
    entry('B9.txt', { size: 50, modified: '2026-01-01T00:00:00.000Z' }),
    entry('a.zip', { size: 5, modified: '2026-01-03T00:00:00.000Z' }),
    folder('Arch'),
  ];

  it.each([
    ['default', ['b10.txt', 'zoo', 'B9.txt', 'a.zip', 'Arch']],
    ['name asc', ['Arch', 'zoo', 'a.zip', 'B9.txt', 'b10.txt']],
    ['name desc', ['zoo', 'Arch', 'b10.txt', 'B9.txt', 'a.zip']],
    ['size asc', ['Arch', 'zoo', 'a.zip', 'b10.txt', 'B9.txt']],
    ['modified desc', ['zoo', 'Arch', 'a.zip', 'b10.txt', 'B9.txt']],
    ['type desc', ['zoo', 'Arch', 'a.zip', 'b10.txt', 'B9.txt']],
  ] as const)('%s keeps folders first', (sort, want) => {
    expect(names(sortEntries(all, sort, 'en-US'))).toEqual(want);
  });

  it('reads Chinese names in the order of the language', () => {
    const chinese = [entry('赵'), entry('安'), entry('李')];
    expect(names(sortEntries(chinese, 'name asc', 'zh-CN'))).toEqual(['安', '李', '赵']);
  });
});

describe('nextSort', () => {
  it('goes from default to ascending to descending and back', () => {
    expect(nextSort('default', 'size')).toBe('size asc');
    expect(nextSort('size asc', 'size')).toBe('size desc');
    expect(nextSort('size desc', 'size')).toBe('default');
    expect(nextSort('size desc', 'name')).toBe('name asc');
  });
});

describe('nextByName', () => {
  const all = [entry('apple'), entry('banana'), entry('blue'), entry('港口')];

  it.each([
    ['b', 0, 1],
    ['b', 1, 2],
    ['b', 2, 1],
    ['bl', 1, 2],
    ['bl', 2, 2],
    ['BA', 3, 1],
    ['港', 0, 3],
    ['x', 0, -1],
  ])('%s from %i leads to %i', (typed, from, want) => {
    expect(nextByName(all, typed, from)).toBe(want);
  });

  it('finds nothing in an empty folder', () => expect(nextByName([], 'a', 0)).toBe(-1));
});

describe('names', () => {
  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['..', 'dots'],
    ['a/b', 'slash'],
    ['a\\b', 'slash'],
    ['a\u0007', 'control'],
    ['港'.repeat(86), 'long'],
    ['港'.repeat(85), ''],
    ['taken', 'exists'],
    ['free', ''],
  ])('%j is judged as %j', (name, want) => {
    expect(nameProblem(name, [entry('taken')])).toBe(want);
  });

  it('may keep their own', () => expect(nameProblem('taken', [entry('taken')], 'taken')).toBe(''));

  it.each([
    ['plan.md', 'plan(1).md'],
    ['plan', 'plan(1)'],
    ['plan(4).md', 'plan(1).md'],
    ['(1).md', '(1)(1).md'],
    ['.profile', '.profile(1)'],
    ['a.tar.gz', 'a.tar(2).gz'],
  ])('%s has a free one beside it, numbered as the server does', (name, want) => {
    expect(freeName(name, (other) => other === 'a.tar(1).gz')).toBe(want);
  });

  it('tell when the kind of a file would change', () => {
    expect(extensionChanges('a.md', 'b.MD')).toBe(false);
    expect(extensionChanges('a.md', 'a.txt')).toBe(true);
    expect(extensionChanges('.env', '.other')).toBe(false);
  });
});
