// Tells the server which pages there are and what each loads first, from src/pages.json and the build's manifest:
// dist/.vite/pages.json, read by adapters/httpapi/webapp.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { smallAreas } from './chunks.mjs';

const root = join(import.meta.dirname, '..');
const languages = ['en', 'zh'];

/** pages is the table of all pages, by name. */
export const pages = JSON.parse(readFileSync(join(root, 'src/pages.json'), 'utf8'));

const wordsOf = (language) => `src/i18n/${language}/index.ts`;

/** keysOf names the entry, a language's messages, and the given chunks (or groups) and message areas as the manifest does. */
export const keysOf = (language, chunks, areas) => [
  'index.html',
  wordsOf(language),
  ...chunks.map((chunk) => (chunk.includes('.') ? `src/${chunk}` : chunk)),
  ...areas.map((area) =>
    smallAreas.includes(area) ? `words-${language}` : `src/i18n/${language}/${area}.ts`,
  ),
];

/**
 * filesOf lists the scripts and style sheets of chunks and of what they import statically, each once. A chunk is named
 * by its key in the manifest or, where it is one of scripts/chunks.mjs, by that group's name.
 */
export function filesOf(manifest, keys) {
  const files = new Set();
  const seen = new Set();
  const visit = (key) => {
    const chunk = manifest[key];
    if (!chunk || seen.has(key)) return;
    seen.add(key);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const name of keys) {
    const key = manifest[name]
      ? name
      : Object.keys(manifest).find((at) => at.startsWith('_') && manifest[at].name === name);
    // A name that has changed would otherwise count as nothing.
    if (!key) throw new Error(`the build has no chunk ${name}`);
    visit(key);
  }
  return [...files];
}

/** listed is the server's list: the pages in their order, with what is fetched at once in each language. */
export function listed(manifest, table = pages) {
  const perLanguage = (list) => Object.fromEntries(languages.map((language) => [language, list(language)]));
  const inBoth = (chunks, areas, groups = []) =>
    perLanguage((language) => filesOf(manifest, [...keysOf(language, chunks, areas), ...groups]));
  return Object.entries(table).map(([name, { path, chunk, areas, markdown }]) => ({
    name,
    path,
    files: inBoth([chunk], areas),
    // Nearly every text has a table, a picture, code or a character beyond ASCII, and is not shown before what
    // these need is here.
    ...(markdown && {
      markdown: inBoth([chunk, ...markdown.chunks], areas, markdown.soon),
      // What draws it before the app is there; its script leads.
      first: perLanguage((language) => {
        const [script, ...groups] = markdown.first;
        return filesOf(manifest, [`src/${script}`, wordsOf(language), ...groups]);
      }),
    }),
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(root, 'dist/.vite');
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  writeFileSync(join(folder, 'pages.json'), JSON.stringify(listed(manifest)));
}
