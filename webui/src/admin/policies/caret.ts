/** caretAt is the offset of a row and a column of a text, both counted from 1; beyond the end of a line, that end. */
export function caretAt(text: string, row: number, column: number): number {
  const lines = text.split('\n');
  const before = lines.slice(0, Math.max(0, row - 1)).reduce((sum, line) => sum + line.length + 1, 0);
  const line = lines[row - 1] ?? '';
  return Math.min(text.length, before + Math.min(line.length, Math.max(0, column - 1)));
}
