import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Entry } from '../../api/fs';
import { basket, mostKept } from './basket';
import { canTake } from './drag';
import { hrefOf, pathOf } from './place';
import { readmeOf } from './readme';
import { plainGallery, tasteOf } from './taste';

const entry = (path: string, more: Partial<Entry> = {}): Entry => ({
  name: path.split('/').filter(Boolean).at(-1) ?? '',
  path,
  isDirectory: path.endsWith('/'),
  ...more,
});

describe('the basket', () => {
  beforeEach(() => basket.clear());

  it('keeps each thing once and survives a reload', async () => {
    expect(basket.add([entry('/m/a.txt', { size: 3 }), entry('/m/d/')])).toBe(0);
    basket.add([entry('/m/a.txt')]);
    expect(basket.get().map(({ path }) => path)).toEqual(['/m/a.txt', '/m/d/']);
    vi.resetModules();
    const again = await import('./basket');
    expect(again.basket.get()).toEqual(basket.get());
  });

  it('says how many found no room', () => {
    const many = Array.from({ length: mostKept + 3 }, (_, at) => entry(`/m/${at}`));
    expect(basket.add(many)).toBe(3);
  });

  it('lets go of what is taken out', () => {
    basket.add([entry('/m/a'), entry('/m/b')]);
    basket.remove(['/m/a']);
    expect(basket.has({ path: '/m/a' })).toBe(false);
    expect(basket.has({ path: '/m/b' })).toBe(true);
  });
});

describe('canTake', () => {
  it.each([
    ['/m/d', ['/m/a.txt'], true],
    ['/m', ['/m/a.txt'], false],
    ['/m/d', ['/m/d/'], false],
    ['/m/d/below', ['/m/d/'], false],
    ['/m/dd', ['/m/d/'], true],
    ['/m/d', [], false],
  ])('%s takes %j: %s', (folder, paths, want) => {
    expect(
      canTake(
        folder,
        paths.map((path) => entry(path)),
      ),
    ).toBe(want);
  });
});

describe('addresses', () => {
  it.each(['/', '/m/港口 计划', '/m/100%', '/m/a#b?c&d+e', '/m/.hidden', '/m/😀'])(
    '%s comes back',
    (path) => {
      const { pathname } = new URL(hrefOf(path), 'http://x');
      expect(pathOf(pathname.slice('/mount-explorer'.length))).toBe(path);
    },
  );
});

describe('readmeOf', () => {
  it('finds the README in any case, unless it is a folder or too long', () => {
    const found = (name: string, more: Partial<Entry> = {}) =>
      readmeOf([entry('/m/x.md'), entry(`/m/${name}`, more)])?.name;
    expect(found('ReadMe.md')).toBe('ReadMe.md');
    expect(found('readme.txt')).toBeUndefined();
    expect(found('README.md/')).toBeUndefined();
    expect(found('README.md', { size: 2 << 20 })).toBeUndefined();
  });
});

describe('tasteOf', () => {
  it('takes what is sound and the plain taste for the rest', () => {
    const taste = tasteOf({
      view: 'gallery',
      sort: 'size desc',
      gallery: { columns: 9, gapX: 8 },
      readme: 0,
    });
    expect(taste).toMatchObject({ view: 'gallery', sort: 'size desc', readme: true });
    expect(taste.gallery).toEqual({ ...plainGallery, gapX: 8 });
    expect(tasteOf({ view: 'tree', sort: 'x' })).toMatchObject({ view: 'list', sort: 'default' });
  });
});
