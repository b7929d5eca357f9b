import type { Entry } from '../../api/fs';
import { extensionOf, isText, previewKind, type KindOf } from '../../shared/preview/kind';

export type SortBy = 'name' | 'size' | 'modified' | 'type';

/** Sort is the order of a listing; "default" is the server's. */
export type Sort = 'default' | `${SortBy} ${'asc' | 'desc'}`;

/** nextSort is what a click on a column's head asks for: default, ascending, descending, default. */
export function nextSort(current: Sort, by: SortBy): Sort {
  if (current === `${by} asc`) return `${by} desc`;
  return current === `${by} desc` ? 'default' : `${by} asc`;
}

/** sortEntries puts folders first; names are compared as people count and read. */
export function sortEntries(entries: readonly Entry[], sort: Sort, language: string): readonly Entry[] {
  if (sort === 'default') return entries;
  const [by, order] = sort.split(' ');
  const { compare } = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  const step = order === 'desc' ? -1 : 1;
  const value = (entry: Entry) =>
    by === 'size' ? (entry.size ?? -1) : by === 'modified' && entry.modified ? Date.parse(entry.modified) : 0;
  // What is read from an entry is read once, not at each comparison.
  const sorted = entries.map((entry) => ({
    entry,
    value: value(entry),
    extension: by === 'type' ? extensionOf(entry.name) : '',
  }));
  sorted.sort((a, b) => {
    const [one, other] = [a.entry, b.entry];
    if (one.isDirectory !== other.isDirectory) return one.isDirectory ? -1 : 1;
    const first = a.value - b.value || (by === 'type' ? compare(a.extension, b.extension) : 0);
    return step * (first || compare(one.name, other.name) || (one.name < other.name ? -1 : 1));
  });
  return sorted.map(({ entry }) => entry);
}

/** kindOf is what the preview needs to know of an entry. */
export const kindOf = (entry: { name: string; type?: Entry['type'] }): KindOf => ({
  filename: entry.name,
  mimetype: '',
  type: entry.type ?? 0,
});

/** Longest text that can be edited and saved, in bytes (§5). */
export const longestText = 10 << 20;

/** isEditable says whether an entry is a text that the editor opens, so that versions of it may be kept. */
export function isEditable(entry: {
  name: string;
  type?: Entry['type'];
  isDirectory: boolean;
  size?: number | null;
}) {
  const kind = previewKind(kindOf(entry));
  return !entry.isDirectory && kind !== undefined && isText(kind) && (entry.size ?? 0) <= longestText;
}

/** isImage says whether an entry can be seen as a small picture. */
export const isImage = (entry: Entry) =>
  !entry.isDirectory && entry.reachable !== false && previewKind(kindOf(entry)) === 'image';

/**
 * nextByName is the next entry, after the one at `from`, whose name begins with
 * what was typed; while more is typed the present one stays as long as it fits. -1 for none.
 */
export function nextByName(entries: readonly Entry[], typed: string, from: number): number {
  const start = typed.toLowerCase();
  const offset = [...typed].length > 1 ? 0 : 1;
  for (let step = 0; step < entries.length; step++) {
    const index = (from + offset + step) % entries.length;
    if (entries[index]?.name.toLowerCase().startsWith(start)) return index;
  }
  return -1;
}

/** freeName is a name like this one that nobody has, numbered as the server numbers copies: "plan(1).md". */
export function freeName(name: string, taken: (name: string) => boolean): string {
  const dot = name.lastIndexOf('.') > 0 ? name.lastIndexOf('.') : name.length;
  const base = name.slice(0, dot);
  // The number of an earlier conflict gives way.
  const bare = base.replace(/\([1-9]\d*\)$/, '') || base;
  for (let number = 1; ; number++) {
    const other = `${bare}(${number})${name.slice(dot)}`;
    if (!taken(other)) return other;
  }
}

/** nameProblem says why a name cannot be used, as a key below explorer.names; "" when it can. */
export function nameProblem(name: string, taken: readonly Entry[], own = ''): string {
  if (name.trim() === '') return 'empty';
  if (name === '.' || name === '..') return 'dots';
  if (/[/\\]/.test(name)) return 'slash';
  if ([...name].some((letter) => letter < ' ' || letter === '\u007f')) return 'control';
  if (new TextEncoder().encode(name).length > 255) return 'long';
  return name !== own && taken.some((entry) => entry.name === name) ? 'exists' : '';
}
