type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** changesOf are the fields of `after` that differ from `before`; inside of objects, too. */
export function changesOf<T extends object>(before: T, after: T): Partial<T> {
  const old = before as Fields;
  const changes: Fields = {};
  for (const [key, value] of Object.entries(after)) {
    if (JSON.stringify(old[key]) === JSON.stringify(value)) continue;
    changes[key] = isFields(value) && isFields(old[key]) ? changesOf(old[key], value) : value;
  }
  return changes as Partial<T>;
}

/** What a form holds, for people: the name of each field and what it says. */
export type Lines = readonly (readonly [name: string, value: unknown])[];

/** textOf writes lines for the dialog of conflicts, which marks those that differ. */
export function textOf(lines: Lines, words: { on: string; off: string }): string {
  const said = (value: unknown) =>
    typeof value === 'boolean' ? words[value ? 'on' : 'off'] : String(value ?? '');
  return lines.map(([name, value]) => `${name}: ${said(value)}`).join('\n');
}
