import { expect, it } from 'vitest';
import { budgetsOf, judge, weigh } from './budget.mjs';
import { keysOf } from './pages.mjs';

const manifest = {
  'index.html': { file: 'i.js', imports: ['core'], css: ['i.css'], dynamicImports: ['later.ts'] },
  core: { file: 'c.js' },
  'src/i18n/en/index.ts': { file: 'en.js' },
  'src/i18n/en/home.ts': { file: 'enhome.js' },
  'src/public/home/index.tsx': { file: 'h.js', imports: ['index.html', 'core'], css: ['h.css'] },
  'later.ts': { file: 'l.js' },
};

it('counts what a route loads at once, each file once, and nothing that comes later', () => {
  const got = weigh(manifest, keysOf('en', ['public/home/index.tsx'], ['home']), () => 10);
  expect(got.files.sort()).toEqual(['c.js', 'en.js', 'enhome.js', 'h.css', 'h.js', 'i.css', 'i.js']);
  expect(got.js).toBe(50);
  expect(got.css).toBe(20);
});

it('leaves out what every page loads where a chunk is weighed by itself', () => {
  const got = weigh(manifest, keysOf('en', ['public/home/index.tsx'], []), () => 10, ['index.html']);
  expect(got.files.sort()).toEqual(['en.js', 'h.css', 'h.js']);
});

it('refuses a chunk that the build does not have', () => {
  expect(() => weigh(manifest, keysOf('en', ['public/old/index.tsx'], []), () => 10)).toThrow('public/old');
});

it('weighs the pages that have a budget, with what they load for the text that needs most', () => {
  const page = { chunk: 'a.tsx', areas: ['a'] };
  const text = { chunks: ['m.tsx'], soon: ['s'] };
  expect(budgetsOf({ free: page, tight: { ...page, budget: { js: 2, css: 1 }, markdown: text } })).toEqual([
    { route: 'tight', chunks: ['a.tsx', 'm.tsx'], areas: ['a'], besides: [], js: 2048, css: 1024 },
  ]);
});

it('lets a page keep 4 KiB of its budget for the next change, and says how much is left', () => {
  const KiB = 1024;
  expect(judge('js', 108 * KiB, 112 * KiB)).toEqual({ fits: true, line: 'ok    108.0 of 112 KiB' });
  expect(judge('js', 109 * KiB, 112 * KiB)).toEqual({
    fits: false,
    line: 'TIGHT 109.0 of 112 KiB: 3.0 KiB left, at least 4 must be. Load a part of the page later.',
  });
  expect(judge('js', 113 * KiB, 112 * KiB)).toEqual({ fits: false, line: 'OVER  113.0 of 112 KiB' });
  expect(judge('css', 13 * KiB, 14 * KiB).fits).toBe(true);
});
