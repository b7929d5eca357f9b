/**
 * merge keeps both changes of a text when they lie in different places, line by line; undefined when they
 * touch. Each side counts as one change, from its first line that differs to its last.
 */
export function merge(base: string, mine: string, theirs: string): string | undefined {
  if (mine === theirs || theirs === base) return mine;
  if (mine === base) return theirs;
  const lines = base.split('\n');
  const left = change(lines, mine.split('\n'));
  const right = change(lines, theirs.split('\n'));
  const [first, second] = left.from <= right.from ? [left, right] : [right, left];
  // A line between them must be untouched: what stands side by side was written without the other in sight.
  if (first.to >= second.from) return undefined;
  return [
    ...lines.slice(0, first.from),
    ...first.insert,
    ...lines.slice(first.to, second.from),
    ...second.insert,
    ...lines.slice(second.to),
  ].join('\n');
}

/**
 * mergeByHand puts both changes of a text where they touch, between the marks that Git uses, for the writer to choose
 * from; what both have alike stands once.
 */
export function mergeByHand(
  base: string,
  mine: string,
  theirs: string,
  names: { mine: string; theirs: string },
): string {
  const lines = base.split('\n');
  const left = change(lines, mine.split('\n'));
  const right = change(lines, theirs.split('\n'));
  const from = Math.min(left.from, right.from);
  const to = Math.max(left.to, right.to);
  const part = (side: Change) => [
    ...lines.slice(from, side.from),
    ...side.insert,
    ...lines.slice(side.to, to),
  ];
  return [
    ...lines.slice(0, from),
    `<<<<<<< ${names.mine}`,
    ...part(left),
    '=======',
    ...part(right),
    `>>>>>>> ${names.theirs}`,
    ...lines.slice(to),
  ].join('\n');
}

interface Change {
  /** from and to are lines of the base; to is not included. */
  from: number;
  to: number;
  insert: string[];
}

function change(base: string[], next: string[]): Change {
  const most = Math.min(base.length, next.length);
  let start = 0;
  while (start < most && base[start] === next[start]) start++;
  let end = 0;
  while (end < most - start && base[base.length - 1 - end] === next[next.length - 1 - end]) end++;
  return { from: start, to: base.length - end, insert: next.slice(start, next.length - end) };
}
