import { expect, it } from 'vitest';
import { pageAt, pages } from './pages';

it.each([
  ['/', pages.home],
  ['/upload', pages.upload],
  ['/upload/', pages.upload],
  ['/upload/x', pages.missing],
  ['/paste/a', pages.paste],
  ['/paste', pages.missing],
  ['/paste/a/b', pages.missing],
  ['/mount-explorer', pages.explorer],
  ['/mount-explorer/a/b', pages.explorer],
  ['/admin/keys', pages.admin],
  ['/administrator', pages.missing],
  ['', pages.missing],
])('the page at %s', (address, page) => {
  expect(pageAt(address)).toBe(page);
});
