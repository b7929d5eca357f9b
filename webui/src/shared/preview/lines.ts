/** A range of lines of a code view, counted from 1. */
export interface LineRange {
  from: number;
  to: number;
}

/** parseLines reads "L10", "L10-L20", "10-20" and "#L10-L20"; undefined for anything else. */
export function parseLines(text: string): LineRange | undefined {
  const match = /^#?L?(\d{1,7})(?:\s*[-–]\s*L?(\d{1,7}))?$/i.exec(text.trim());
  if (!match) return undefined;
  const first = Number(match[1]);
  const last = match[2] === undefined ? first : Number(match[2]);
  if (first < 1 || last < 1) return undefined;
  return { from: Math.min(first, last), to: Math.max(first, last) };
}

/** linesHash is the address fragment of a range. */
export function linesHash({ from, to }: LineRange): string {
  return from === to ? `#L${from}` : `#L${from}-L${to}`;
}

/**
 * splitHighlighted cuts highlighted code into lines. Spans that go over a line
 * end are closed there and opened again on the next line.
 */
export function splitHighlighted(html: string): string[] {
  const open: string[] = [];
  return html.split('\n').map((line) => {
    const start = open.join('');
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    return start + line + '</span>'.repeat(open.length);
  });
}

/** countLines counts a last line without an end, but no empty line after the last end. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const ends = text.match(/\r\n|\n|\r/g)?.length ?? 0;
  return /[\r\n]$/.test(text) ? ends : ends + 1;
}
