import lib from '../../../../policies/lib/lib.rego?raw';
import schema from '../../../../policies/schemas/input.json';
import type { Rules } from '../../api/admin/operations';

interface Node {
  type?: string;
  description?: string;
  properties?: Record<string, Node>;
}

/** What can be written at a place; `about` is its type or its arguments. */
export interface Suggestion {
  label: string;
  kind: 'field' | 'rule' | 'function' | 'keyword' | 'action';
  about: string;
  description: string;
}

/** What can follow at the caret, in place of the text from `from` on. */
interface Offer {
  from: number;
  found: Suggestion[];
}

/** A function of Rego as the capabilities name it. */
export interface Builtin {
  name: string;
  description?: string;
  decl: { args?: { name?: string; type?: string }[] };
}

const keywords = 'as contains default else every if import in not package some with'.split(' ');
const shortest = 2; // letters before something is offered that nobody asked for

/** rulesIn are the names that a text of Rego defines, with what its annotations say of them. */
export function rulesIn(text: string): Suggestion[] {
  const found = new Map<string, Suggestion>();
  let about = '';
  for (const line of text.split('\n')) {
    const comment = /^#\s*(?:title|description):\s*(.*)$/.exec(line)?.[1];
    if (line.startsWith('#')) {
      about ||= comment ?? '';
      continue;
    }
    const [, label = '', args] = /^(?:default\s+)?([A-Za-z_]\w*)(\([^)]*\))?/.exec(line) ?? [];
    if (label && !keywords.includes(label) && !found.has(label))
      found.set(label, { label, kind: args ? 'function' : 'rule', about: args ?? '', description: about });
    if (line.trim() !== '') about = '';
  }
  return [...found.values()];
}

const helpers = rulesIn(lib).filter(({ label }) => !label.startsWith('_'));

/** actions are the names of all that can be asked; each stands in one group of the helpers. */
export const actions = [
  ...new Set([...lib.matchAll(/"([a-z]+(?:\.[a-z_]+)+)"/g)].map(([, name]) => name ?? '')),
]
  .sort()
  .map((label): Suggestion => ({ label, kind: 'action', about: '', description: '' }));

/** functionsOf are the functions that rules may call. */
export const functionsOf = (builtins: readonly Builtin[]): Suggestion[] =>
  builtins
    .filter(({ name }) => /^[a-z][\w.]*$/.test(name) && !name.startsWith('internal.'))
    .map(({ name, description = '', decl }) => ({
      label: name,
      kind: 'function',
      about: `(${(decl.args ?? []).map((arg) => arg.name ?? arg.type ?? '').join(', ')})`,
      description,
    }));

function fieldsAt(parents: string): Suggestion[] {
  const parent = parents
    .split('.')
    .slice(1)
    .reduce<Node | undefined>((node, name) => node?.properties?.[name], schema as Node);
  return Object.entries(parent?.properties ?? {}).map(([label, { type = '', description = '' }]) => ({
    label,
    kind: 'field',
    about: type,
    description,
  }));
}

/** offerOf leaves what begins with what is written, and nothing where only that stands to choose. */
function offerOf(from: number, begun: string, all: Suggestion[]): Offer | undefined {
  const found = all.filter(({ label }) => label.startsWith(begun) && label !== begun);
  return found.length > 0 ? { from, found } : undefined;
}

/**
 * offerAt tells what may stand at a caret: fields of the input, helpers, rules of the site, functions, and names of
 * actions in quotes. `asked` says that somebody wants to see it, also where nothing is begun.
 */
export function offerAt(
  text: string,
  caret: number,
  files: Rules,
  functions: readonly Suggestion[],
  asked = false,
): Offer | undefined {
  const line = text.slice(text.lastIndexOf('\n', caret - 1) + 1, caret);
  if (line.trimStart().startsWith('#') || /^\w/.test(text.slice(caret))) return undefined;
  const quoted = /^(?:[^"]*"[^"]*")*[^"]*"([a-z_.]*)$/.exec(line);
  if (quoted) {
    const [, begun = ''] = quoted;
    return /\baction\b|_actions?\b/.test(line) ? offerOf(caret - begun.length, begun, actions) : undefined;
  }
  if ((line.match(/"/g)?.length ?? 0) % 2 === 1) return undefined;
  const [, path = ''] = /(?:^|[^\w.])([A-Za-z_][\w.]*)$/.exec(line) ?? [];
  const cut = path.lastIndexOf('.') + 1;
  const begun = path.slice(cut);
  const from = caret - begun.length;
  const parent = path.slice(0, Math.max(0, cut - 1));
  if (parent === 'input' || parent.startsWith('input.')) return offerOf(from, begun, fieldsAt(parent));
  if (parent === 'lib' || parent === 'data.pasteport.lib') return offerOf(from, begun, helpers);
  if (parent === 'data') return offerOf(from, begun, packages);
  const own = Object.entries(files).flatMap(([name, one]) =>
    name.endsWith('_test.rego') || !name.endsWith('.rego') ? [] : rulesIn(one),
  );
  if (parent === 'site' || parent === 'data.pasteport.site') return offerOf(from, begun, own);
  if (parent === 'data.pasteport') return offerOf(from, begun, ['lib', 'permissions', 'site'].map(packageOf));
  if (!asked && path.length < shortest) return undefined;
  if (parent) return offerOf(caret - path.length, path, [...functions]);
  return offerOf(from, begun, [...own, ...words, ...functions]);
}

const packageOf = (label: string): Suggestion => ({ label, kind: 'rule', about: '', description: '' });
const packages = ['pasteport', 'site'].map(packageOf);
const words: Suggestion[] = [
  ...['input', 'data', 'lib'].map(packageOf),
  ...keywords.map((label): Suggestion => ({ label, kind: 'keyword', about: '', description: '' })),
];
