import type { LineRange } from './lines';

/** Longer texts fold by their indentation alone, in characters. */
const longestPaired = 2_000_000;

/** Columns that a tab reaches. */
const tab = 4;

/**
 * foldsOf finds the blocks of a text, as a map from each block's first line, which stays in sight, to its last one.
 * A block is what is indented deeper than the line before it; else what stands between brackets that close on a later
 * line. Lines are counted from 1.
 */
export function foldsOf(lines: readonly string[]): Map<number, number> {
  const found = new Map<number, number>();
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  if (characters <= longestPaired) pair(lines, found);
  indent(lines, found);
  return new Map([...found].sort(([a], [b]) => a - b));
}

/** indent notes the blocks of deeper lines; empty lines at the end of one do not belong to it. */
function indent(lines: readonly string[], found: Map<number, number>) {
  const open: { line: number; depth: number }[] = [];
  let before = 0;
  lines.forEach((line, index) => {
    const depth = depthOf(line);
    if (depth < 0) return;
    for (let top = open.at(-1); top && top.depth >= depth; top = open.at(-1)) {
      open.pop();
      if (before > top.line) found.set(top.line, before);
    }
    before = index + 1;
    open.push({ line: before, depth });
  });
  for (const { line } of open) if (before > line) found.set(line, before);
}

/** depthOf is the column where a line begins; -1 for an empty one. */
function depthOf(line: string): number {
  let column = 0;
  for (const character of line) {
    if (character === ' ') column++;
    else if (character === '\t') column += tab - (column % tab);
    else return character === '\r' ? -1 : column;
  }
  return -1;
}

const closing: Record<string, string> = { '{': '}', '[': ']', '(': ')' };

/** pair notes the blocks between brackets; the line of the closing one stays in sight. Strings of one line are skipped. */
function pair(lines: readonly string[], found: Map<number, number>) {
  const open: { line: number; wants: string | undefined }[] = [];
  lines.forEach((line, index) => {
    for (const [mark] of line.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[{}[\]()]/g)) {
      if (mark.length > 1) continue;
      if (mark in closing) {
        open.push({ line: index + 1, wants: closing[mark] });
        continue;
      }
      const at = open.findLastIndex(({ wants }) => wants === mark);
      if (at < 0) continue;
      const from = open[at]?.line ?? 0;
      open.length = at;
      if (index > from) found.set(from, Math.max(index, found.get(from) ?? 0));
    }
  });
}

/** allOf are the blocks that *Fold all* folds: not the one around the whole text while there are others, which would leave nothing to read. */
export function allOf(folds: ReadonlyMap<number, number>, lines: number): ReadonlySet<number> {
  const all = new Set(folds.keys());
  if (all.size > 1 && (folds.get(1) ?? 0) >= lines - 1) all.delete(1);
  return all;
}

/** hiddenBy joins what the folded blocks hide into ranges, in order. */
export function hiddenBy(folds: ReadonlyMap<number, number>, folded: ReadonlySet<number>): LineRange[] {
  const hidden: LineRange[] = [];
  for (const from of [...folded].sort((a, b) => a - b)) {
    const to = folds.get(from);
    if (to === undefined) continue;
    const last = hidden.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else hidden.push({ from: from + 1, to });
  }
  return hidden;
}

/** unfoldFor leaves folded what hides no line of the range. */
export function unfoldFor(
  folds: ReadonlyMap<number, number>,
  folded: ReadonlySet<number>,
  range: LineRange,
): ReadonlySet<number> {
  const hides = (from: number) => from < range.to && (folds.get(from) ?? 0) >= range.from;
  return [...folded].some(hides) ? new Set([...folded].filter((from) => !hides(from))) : folded;
}
