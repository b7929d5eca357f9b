import { expect, it } from 'vitest';
import { keysOf, weigh } from './budget.mjs';

const manifest = {
  'index.html': { file: 'i.js', imports: ['core'], css: ['i.css'], dynamicImports: ['later.ts'] },
  core: { file: 'c.js' },
  'src/i18n/en/index.ts': { file: 'en.js' },
  'src/i18n/en/home.ts': { file: 'enhome.js' },
  'src/public/home/index.tsx': { file: 'h.js', imports: ['index.html', 'core'], css: ['h.css'] },
  'later.ts': { file: 'l.js' },
};

it('counts what a route loads at once, each file once, and nothing that comes later', () => {
  const budget = { route: 'home', chunks: ['src/public/home/index.tsx', 'areas/home'], js: 0, css: 0 };
  const got = weigh(manifest, keysOf(budget, 'en'), () => 10);
  expect(got.files.sort()).toEqual(['c.js', 'en.js', 'enhome.js', 'h.css', 'h.js', 'i.css', 'i.js']);
  expect(got.js).toBe(50);
  expect(got.css).toBe(20);
});

it('leaves out what every page loads where a chunk is weighed by itself', () => {
  const budget = { route: 'home', chunks: ['src/public/home/index.tsx'], js: 0, css: 0 };
  const got = weigh(manifest, keysOf(budget, 'en'), () => 10, ['index.html']);
  expect(got.files.sort()).toEqual(['en.js', 'h.css', 'h.js']);
});
