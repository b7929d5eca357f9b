import { describe, expect, it } from 'vitest';
import type { Mark } from '../../api/fs';
import { byName } from './useMarks';

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
    const marks = byName([mark('3', 'a'), mark('2', '文'), mark('1', 'a')]);
    expect(marks.get('a')?.map(({ id }) => id)).toEqual(['3', '1']);
    expect(marks.get('文')).toHaveLength(1);
    expect(marks.get('b')).toBeUndefined();
  });
});
