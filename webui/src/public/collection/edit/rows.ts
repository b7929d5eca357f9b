import type { Collection } from '../../../api/types';

/** Row is an item as it stands in the editor: of the collection, or a file that is to become one. */
export interface Row {
  id: string;
  filename: string;
  mimetype: string;
  size: number;
}

/** isReadme reports whether a file tells about the others. */
export const isReadme = ({ filename }: { filename: string }) => /^readme\.(md|markdown)$/i.test(filename);

/** moved puts the row at one place to another. */
export function moved(rows: readonly Row[], from: number, to: number): Row[] {
  const row = rows[from];
  if (!row || to < 0 || to >= rows.length) return [...rows];
  const rest = rows.toSpliced(from, 1);
  return rest.toSpliced(to, 0, row);
}

/** withFirst puts a text before the others; it takes the place of one that tells about them already. */
export const withFirst = (rows: readonly Row[], text: Row): Row[] => [
  text,
  ...rows.filter((row) => row.id !== text.id && !(isReadme(row) && isReadme(text))),
];

/** withMore adds files behind the others; those that are there stay where they are. */
export const withMore = (rows: readonly Row[], more: readonly Row[]): Row[] => [
  ...rows,
  ...more.filter(({ id }) => rows.every((row) => row.id !== id)),
];

/** missing are the items that are no row any more: saving deletes them. */
export const missing = ({ items }: Collection, rows: readonly Row[]): string[] =>
  items.map(({ id }) => id).filter((id) => rows.every((row) => row.id !== id));

/** isArranged reports whether the rows are other ones than the items, under other names or in another order. */
export const isArranged = ({ items }: Collection, rows: readonly Row[]): boolean =>
  items.length !== rows.length ||
  rows.some((row, at) => row.id !== items[at]?.id || row.filename !== items[at].filename);
