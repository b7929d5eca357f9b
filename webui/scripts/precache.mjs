// Chooses what the service worker fetches when it is installed: the shell, every public page with its words, and
// what they import. The rest (editor, viewers, highlighting, diagrams, the panel) is kept when it is first used.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = join(import.meta.dirname, '../dist');

/** Sources that a page asks for later, and that weigh too much to be fetched by everybody. */
const onFirstUse =
  /^src\/(admin|shared\/(editor|exports|preview|markdown\/(math|mermaid|diagram))|i18n\/\w+\/(admin|ops|viewers))/;

/** followed tells whether the worker fetches what a page imports later: sources of ours, and chunks that several share. */
const followed = (key) =>
  key.startsWith('src/') ? !onFirstUse.test(key) : /^_(?!highlight-|diagrams-|math-)/.test(key);

/** reachable lists the files of the entry and of everything of ours that it may load. */
export function reachable(manifest) {
  const files = new Set();
  const visit = (key) => {
    const chunk = manifest[key];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    for (const next of chunk.imports ?? []) visit(next);
    for (const next of chunk.dynamicImports ?? []) {
      if (followed(next)) visit(next);
    }
  };
  visit('index.html');
  return files;
}

/**
 * precached is the manifest transform of workbox-build. The shell is kept as the server sends it for "?safe=1",
 * without the site's own snippets: it also answers for the panel, where those may not run.
 */
export function precached(entries) {
  const wanted = reachable(JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')));
  const manifest = entries.flatMap((entry) => {
    if (entry.url === 'index.html') return [{ ...entry, url: './?safe=1' }];
    if (entry.url === 'icon.svg') return [entry];
    // A hashed name is its own revision.
    return wanted.has(entry.url) ? [{ ...entry, revision: null }] : [];
  });
  return { manifest };
}
