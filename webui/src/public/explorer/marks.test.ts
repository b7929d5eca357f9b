import { describe, expect, it } from 'vitest';
import type { Mark } from '../../api/fs';
import { byName, countOf } from './useMarks';

const mark = (id: string, name: string): Mark => ({
  name,
  id,
  slug: id,
  remark: null,
  has_password: false,
  expires_at: null,
  max_views: null,
  views: 0,
  use_proxy: 1,
  created_at: '2026-11-21T08:00:00Z',
});

describe('byName', () => {
  it('gives each file its shares in the order of the server', () => {
    const marks = byName({ shares: [mark('3', 'a'), mark('2', '文'), mark('1', 'a')] });
    expect(marks.get('a')?.own.map(({ id }) => id)).toEqual(['3', '1']);
    expect(countOf(marks, '文')).toBe(1);
    expect(countOf(marks, 'b')).toBe(0);
  });

  it('adds the links that an entry is part of, and keeps those of the whole folder apart', () => {
    const link = (id: string, name: string) => ({ id, name, slug: id, title: '' });
    const marks = byName({
      shares: [mark('1', 'a')],
      links: [link('l', 'a'), link('m', 'dir'), link('n', '')],
    });
    expect(countOf(marks, 'a')).toBe(2);
    expect(marks.get('dir')).toEqual({ own: [], links: [link('m', 'dir')] });
    expect(marks.get('')?.links).toEqual([link('n', '')]);
  });
});
