// Fails the build when a route needs more bytes than its budget before it is usable, in one language.
// Counted: gzip -9 of every script and style sheet that the entry, the route's chunk, the messages and what
// they import statically bring. What a click or idle time loads is not counted.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gzipSync } from 'node:zlib';

const KiB = 1024;
const dist = join(import.meta.dirname, '../dist');

/** budgets names, per route, the chunks that are loaded at once and the most bytes they may weigh. */
export const budgets = [
  {
    route: 'home',
    chunks: ['src/public/home/index.tsx', 'areas/home', 'areas/share'],
    js: 112 * KiB,
    css: 14 * KiB,
  },
  {
    route: 'paste',
    // A paste in Markdown, which needs most.
    chunks: [
      'src/public/paste/index.tsx',
      'areas/pasteView',
      'src/shared/markdown/MarkdownDocument.tsx',
      'areas/markdownView',
    ],
    js: 136 * KiB,
    css: 14 * KiB,
  },
  {
    route: 'explorer',
    chunks: ['src/public/explorer/index.tsx', 'areas/explorer'],
    js: 165 * KiB,
    css: 14 * KiB,
  },
  {
    route: 'admin',
    // The panel with its lists; what every page of the app loads is not part of its chunk.
    chunks: [
      'src/admin/index.tsx',
      'areas/login',
      'src/admin/Panel.tsx',
      'areas/admin/index',
      'areas/ra',
      'src/admin/texts/index.tsx',
      'areas/share',
      'areas/shareEdit',
    ],
    besides: ['index.html'],
    js: 340 * KiB,
    css: 14 * KiB,
  },
];

/** weigh adds up the packed bytes of the given chunks and what they import, without those that `besides` bring. */
export function weigh(manifest, keys, size, besides = []) {
  const files = new Set();
  const seen = new Set();
  const visit = (key) => {
    const chunk = manifest[key];
    if (!chunk || seen.has(key)) return;
    seen.add(key);
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const key of keys) {
    // A name that has changed would otherwise count as nothing.
    if (!manifest[key]) throw new Error(`the build has no chunk ${key}`);
    visit(key);
  }
  const known = new Set(besides.length === 0 ? [] : weigh(manifest, besides, () => 0).files);
  for (const file of known) files.delete(file);
  const sum = (suffix) =>
    [...files].filter((file) => file.endsWith(suffix)).reduce((total, file) => total + size(file), 0);
  return { js: sum('.js'), css: sum('.css'), files: [...files] };
}

/** keysOf expands a budget's chunk names: the entry, the language's messages, the areas and the views. */
export function keysOf(budget, language) {
  return [
    'index.html',
    `src/i18n/${language}/index.ts`,
    ...budget.chunks.map((name) =>
      name.startsWith('areas/') ? `src/i18n/${language}/${name.slice(6)}.ts` : name,
    ),
  ];
}

/** read gives a file of the build, which precompress.mjs may have packed. */
function read(name) {
  const file = join(dist, name);
  return existsSync(file) ? readFileSync(file) : brotliDecompressSync(readFileSync(`${file}.br`));
}

function main() {
  const manifest = JSON.parse(read('.vite/manifest.json').toString('utf8'));
  const size = (file) => gzipSync(read(file), { level: 9 }).length;
  let failed = false;
  for (const budget of budgets) {
    for (const language of ['en', 'zh']) {
      const got = weigh(manifest, keysOf(budget, language), size, budget.besides);
      for (const kind of ['js', 'css']) {
        const over = got[kind] > budget[kind];
        failed ||= over;
        const figures = `${(got[kind] / KiB).toFixed(1)} of ${budget[kind] / KiB} KiB`;
        console.log(`${over ? 'OVER ' : 'ok   '}${budget.route} ${language} ${kind}: ${figures}`);
      }
    }
  }
  failed = precache() || failed;
  if (failed) process.exit(1);
}

/** precache weighs what the service worker fetches for every visitor, unpacked; it reports whether that is too much. */
function precache() {
  const most = 1.7 * KiB * KiB;
  const urls = [
    ...read('sw.js')
      .toString('utf8')
      .matchAll(/"?url"?:"(assets\/[^"]+)"/g),
  ].map(([, url]) => url);
  const bytes = urls.reduce((total, url) => total + read(url).length, 0);
  const over = bytes > most || urls.length === 0;
  console.log(`${over ? 'OVER ' : 'ok   '}precache: ${(bytes / KiB).toFixed(0)} of ${most / KiB} KiB`);
  return over;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
