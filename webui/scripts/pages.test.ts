import { expect, it } from 'vitest';
import { listed } from './pages.mjs';

it("lists for the server every page's address and its files, in both languages", () => {
  const manifest = {
    'index.html': { file: 'i.js', imports: ['core'] },
    core: { file: 'c.js', css: ['c.css'] },
    'src/i18n/en/index.ts': { file: 'en.js' },
    'src/i18n/zh/index.ts': { file: 'zh.js' },
    'src/i18n/en/a.ts': { file: 'en-a.js' },
    'src/i18n/zh/a.ts': { file: 'zh-a.js' },
    'src/a.tsx': { file: 'a.js', imports: ['core'], dynamicImports: ['src/m.ts'] },
    'src/m.ts': { file: 'm.js' },
    '_s-1.js': { file: 's.js', name: 's' },
    'src/f.ts': { file: 'f.js', imports: ['base'], css: ['f.css'] },
    base: { file: 'b.js' },
  };
  const table = {
    one: {
      path: '/a/:slug',
      chunk: 'a.tsx',
      areas: ['a'],
      markdown: { first: ['f.ts', 's'], chunks: ['m.ts'], soon: ['s'] },
    },
  };
  const en = ['i.js', 'c.js', 'c.css', 'en.js', 'a.js'];
  const zh = ['i.js', 'c.js', 'c.css', 'zh.js', 'a.js'];
  expect(listed(manifest, table)).toEqual([
    {
      name: 'one',
      path: '/a/:slug',
      files: { en: [...en, 'en-a.js'], zh: [...zh, 'zh-a.js'] },
      first: {
        en: ['f.js', 'f.css', 'b.js', 'en.js', 's.js'],
        zh: ['f.js', 'f.css', 'b.js', 'zh.js', 's.js'],
      },
      markdown: { en: [...en, 'm.js', 'en-a.js', 's.js'], zh: [...zh, 'm.js', 'zh-a.js', 's.js'] },
    },
  ]);
});
