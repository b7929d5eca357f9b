import type { Column } from './columns';

type Exported<R> = Pick<Column<R>, 'label' | 'csv'>;

// A cell that begins like this is run as a formula by spreadsheets.
const formula = /^[=+\-@\t\r]/;

function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** csvOf writes rows as RFC 4180, with a byte order mark so that spreadsheets read Chinese. */
export function csvOf<R>(columns: readonly Exported<R>[], rows: readonly R[]): string {
  const chosen = columns.flatMap(({ label, csv }) => (csv ? [{ label, csv }] : []));
  const lines = [
    chosen.map((column) => cell(column.label)),
    ...rows.map((row) => chosen.map((column) => cell(column.csv(row)))),
  ];
  return `\uFEFF${lines.map((line) => line.join(',')).join('\r\n')}\r\n`;
}
