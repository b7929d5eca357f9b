import { beforeEach, describe, expect, it } from 'vitest';
import { readDrafts } from '../public/home/drafts';
import { tasteOf } from '../public/explorer/taste';
import { inherit } from './inherited';

const taste = () => tasteOf(JSON.parse(localStorage.getItem('pp.explorer') ?? '{}') as object);

describe('what the program before left on the device', () => {
  beforeEach(() => {
    localStorage.clear();
    localStorage.setItem('cloudpaste-content', '# 草稿');
    localStorage.setItem('file_explorer_view_mode', 'grid');
    localStorage.setItem('file_explorer_sort_field', 'size');
    localStorage.setItem('file_explorer_sort_order', 'desc');
  });

  it('becomes a draft and the way folders are shown', () => {
    inherit();
    expect(readDrafts()).toMatchObject([{ text: '# 草稿', mode: 'markdown', archived: false }]);
    expect(taste()).toMatchObject({ view: 'grid', sort: 'size desc' });
  });

  it('is taken over once', () => {
    inherit();
    localStorage.removeItem('pp.own.drafts');
    inherit();
    expect(readDrafts()).toEqual([]);
  });

  it('does not replace what is there already', () => {
    localStorage.setItem('pp.own.drafts', '[]');
    localStorage.setItem('pp.explorer', '{"view":"gallery"}');
    inherit();
    expect(readDrafts()).toEqual([]);
    expect(taste().view).toBe('gallery');
  });

  it.each(['', '   '])('is no draft when it is %j', (text) => {
    localStorage.setItem('cloudpaste-content', text);
    localStorage.setItem('file_explorer_sort_order', 'default');
    inherit();
    expect(readDrafts()).toEqual([]);
    expect(taste()).toMatchObject({ view: 'grid', sort: 'default' });
  });
});
