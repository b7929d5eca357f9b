// Fails the build when a page comes closer than 4 KiB to its budget in src/pages.json before it is usable, in one language.
// Counted: gzip -9 of every script and style sheet that the entry, the route's chunk, the messages and what
// they import statically bring. What a click or idle time loads is not counted.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { filesOf, keysOf, pages } from './pages.mjs';

const KiB = 1024;
const dist = join(import.meta.dirname, '../dist');

/** budgetsOf lists the pages that have a budget: what is loaded at once, and the most KiB it may weigh. */
export const budgetsOf = (table) =>
  Object.entries(table).flatMap(([route, { chunk, areas, budget, markdown }]) =>
    budget
      ? [
          {
            route,
            // A paste in Markdown needs most.
            chunks: [
              chunk,
              ...(markdown?.chunks ?? []),
              ...(markdown?.first?.slice(0, 1) ?? []),
              ...(budget.chunks ?? []),
            ],
            areas: [...areas, ...(budget.areas ?? [])],
            // What every page of the app loads is not part of the panel.
            besides: budget.alone ? ['index.html'] : [],
            js: budget.js * KiB,
            css: budget.css * KiB,
          },
        ]
      : [],
  );

/** weigh adds up the packed bytes of the given chunks and what they import, without those that `besides` bring. */
export function weigh(manifest, keys, size, besides = []) {
  const known = new Set(filesOf(manifest, besides));
  const files = filesOf(manifest, keys).filter((file) => !known.has(file));
  const sum = (suffix) =>
    files.filter((file) => file.endsWith(suffix)).reduce((total, file) => total + size(file), 0);
  return { js: sum('.js'), css: sum('.css'), files };
}

/** Bytes of scripts that every page leaves free of its budget, so that the next change fits. */
const room = 4 * KiB;

/** judge tells whether so many bytes fit into a budget, and says so in one line; scripts leave room for the next change. */
export function judge(kind, got, budget) {
  const figures = `${(got / KiB).toFixed(1)} of ${budget / KiB} KiB`;
  if (got > budget) return { fits: false, line: `OVER  ${figures}` };
  const left = budget - got;
  if (kind === 'js' && left < room)
    return {
      fits: false,
      line: `TIGHT ${figures}: ${(left / KiB).toFixed(1)} KiB left, at least ${room / KiB} must be. Load a part of the page later.`,
    };
  return { fits: true, line: `ok    ${figures}` };
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
  for (const budget of budgetsOf(pages)) {
    for (const language of ['en', 'zh']) {
      const got = weigh(manifest, keysOf(language, budget.chunks, budget.areas), size, budget.besides);
      for (const kind of ['js', 'css']) {
        const { fits, line } = judge(kind, got[kind], budget[kind]);
        failed ||= !fits;
        console.log(`${budget.route} ${language} ${kind}: ${line}`);
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
  console.log(`precache: ${over ? 'OVER ' : 'ok   '} ${(bytes / KiB).toFixed(0)} of ${most / KiB} KiB`);
  return over;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
