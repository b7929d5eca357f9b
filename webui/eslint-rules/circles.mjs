import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const specifiers = /(?:\bfrom\s*|\bimport\s*\(?\s*)'(\.[^']*)'/g;
const endings = ['', '.ts', '.tsx', '/index.ts', '/index.tsx'];

/** resolved is the script that a relative import means; undefined for style sheets and what is not there. */
function resolved(file, source) {
  const base = path.resolve(path.dirname(file), source);
  return endings.map((ending) => base + ending).find((name) => /\.tsx?$/.test(name) && existsSync(name));
}

const known = new Map();

/** importsOf lists what a script imports: values, types, and what it fetches later. */
function importsOf(file) {
  const { mtimeMs } = statSync(file);
  const before = known.get(file);
  if (before?.mtimeMs === mtimeMs) return before.list;
  const text = readFileSync(file, 'utf8');
  const list = [...text.matchAll(specifiers)].flatMap(([, source]) => resolved(file, source) ?? []);
  known.set(file, { mtimeMs, list });
  return list;
}

/**
 * wayBack is the shortest way of imports from one script to another; undefined where there is none. Scripts in `vain`
 * are known to lead nowhere, and those passed in vain are added to it.
 */
function wayBack(from, to, vain) {
  const ways = vain.has(from) ? [] : [[from]];
  const seen = new Set([from]);
  for (const way of ways) {
    const last = way.at(-1);
    if (last === to) return way;
    for (const next of importsOf(last)) {
      if (!seen.has(next) && !vain.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  for (const script of seen) vain.add(script);
  return undefined;
}

/** circles refuses an import that leads back to the file it stands in, by values, by types or by later fetches. */
export default {
  meta: { type: 'problem', schema: [], messages: { circle: 'circle of imports: {{way}}' } },
  create(context) {
    const file = context.filename;
    if (!/\.tsx?$/.test(file)) return {};
    const vain = new Set();
    const check = (node) => {
      const source = node.source?.value;
      const target = typeof source === 'string' && source.startsWith('.') && resolved(file, source);
      const way = target && wayBack(target, file, vain);
      if (!way) return;
      const names = [file, ...way].map((name) => path.relative(path.dirname(file), name));
      context.report({ node, messageId: 'circle', data: { way: names.join(' -> ') } });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};
