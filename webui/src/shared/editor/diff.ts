/** A DiffLine is a line of two texts: in both, or in one of them. */
export interface DiffLine {
  text: string;
  in: 'both' | 'theirs' | 'mine';
}

/** Lines that are compared with each other one by one; longer stretches count as changed whole. */
const longest = 2000;

/** Lines that are left standing around a change. */
const around = 3;

/**
 * diffLines lays two texts side by side, line by line. What is equal at both
 * ends is cut down to what stands around the changes.
 */
export function diffLines(theirs: string, mine: string): DiffLine[] {
  const [a, b] = [theirs.split(/\r\n?|\n/), mine.split(/\r\n?|\n/)];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const both = (lines: string[]) => lines.map((text): DiffLine => ({ text, in: 'both' }));
  return [
    ...both(a.slice(Math.max(0, start - around), start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...both(a.slice(a.length - end, a.length - end + around)),
  ];
}

function middle(a: string[], b: string[]): DiffLine[] {
  const theirs = (text = ''): DiffLine => ({ text, in: 'theirs' });
  const mine = (text = ''): DiffLine => ({ text, in: 'mine' });
  if (a.length > longest || b.length > longest) return [...a.map(theirs), ...b.map(mine)];

  // common[i][j] is the length of the longest common part of a from i and b from j.
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ text: a[i] ?? '', in: 'both' });
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      lines.push(theirs(a[i++]));
    } else lines.push(mine(b[j++]));
  }
  return lines;
}
