/** Cell is a value of a sheet. */
export type Cell = string | number | boolean | Date;

/** cellText writes a value; dates in the reader's manner, and in UTC, since sheets know no time zones. */
export function cellText(cell: Cell | null | undefined, language: string): string {
  if (cell === null || cell === undefined) return '';
  if (!(cell instanceof Date)) return String(cell);
  const whole = cell.getTime() % 86_400_000 === 0;
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'short',
    ...(!whole && { timeStyle: 'short' }),
    timeZone: 'UTC',
  }).format(cell);
}

/** columnName counts as sheets do: A to Z, then AA. */
export function columnName(index: number): string {
  const before = Math.floor(index / 26);
  return (before > 0 ? columnName(before - 1) : '') + String.fromCharCode(65 + (index % 26));
}
