import schema from '../../../../policies/schemas/input.json';

interface Node {
  type?: string;
  description?: string;
  properties?: Record<string, Node>;
}

/** A field of the input that can follow what was typed. */
export interface Suggestion {
  name: string;
  type: string;
  description: string;
}

/** What can follow at the caret `to`, in place of the text from `from` on. */
export interface Completion {
  from: number;
  to: number;
  found: Suggestion[];
}

const typed = /\binput((?:\.[a-z_]+)*)\.([a-z_]*)$/;

/** completionAt tells which fields of the input may stand at a caret; nothing where none can, and for a whole name. */
export function completionAt(text: string, caret: number): Completion | undefined {
  const line = text.slice(text.lastIndexOf('\n', caret - 1) + 1, caret);
  const match = typed.exec(line);
  if (!match || line.trimStart().startsWith('#') || /^\w/.test(text.slice(caret))) return undefined;
  const [, parents = '', begun = ''] = match;
  const parent = parents
    .split('.')
    .slice(1)
    .reduce<Node | undefined>((node, name) => node?.properties?.[name], schema as Node);
  const found = Object.entries(parent?.properties ?? {})
    .filter(([name]) => name.startsWith(begun))
    .map(([name, { type = '', description = '' }]) => ({ name, type, description }));
  if (found.length === 0 || (found.length === 1 && found[0]?.name === begun)) return undefined;
  return { from: caret - begun.length, to: caret, found };
}
