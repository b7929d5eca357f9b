import { diffArrays, diffWordsWithSpace } from 'diff';

/** A DiffLine is a line of two texts: in both, or in one of them. */
export interface DiffLine {
  text: string;
  in: 'both' | 'theirs' | 'mine';
  /** parts is the line cut where its words differ from the line that stands for it on the other side. */
  parts?: readonly DiffPart[];
}

interface DiffPart {
  text: string;
  changed: boolean;
}

/** How long two texts are compared, in milliseconds; what takes longer counts as changed whole. */
const patience = 500;

/** Longest lines whose words are compared. */
const wordsUpTo = 2000;

/** Lines that are left standing around a change. */
const around = 3;

/**
 * diffLines lays two texts side by side, line by line, and cuts what is equal at both ends down to what stands around
 * the changes. A line that took the place of another one tells which words differ.
 */
export function diffLines(theirs: string, mine: string): DiffLine[] {
  const [a, b] = [theirs.split(/\r\n?|\n/), mine.split(/\r\n?|\n/)];
  const changes = diffArrays(a, b, { timeout: patience }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ];
  const lines: DiffLine[] = [];
  for (const [index, { value, removed, added }] of changes.entries()) {
    const other = added ? changes[index - 1] : removed ? changes[index + 1] : undefined;
    const pair = other && (added ? other.removed : other.added) ? other.value : [];
    const side = removed ? 'theirs' : added ? 'mine' : 'both';
    lines.push(
      ...value.map((text, at) => withWords(text, side, pair.length === value.length ? pair[at] : undefined)),
    );
  }
  const first = lines.findIndex((line) => line.in !== 'both');
  const last = lines.findLastIndex((line) => line.in !== 'both');
  return first < 0 ? lines.slice(0, around) : lines.slice(Math.max(0, first - around), last + around + 1);
}

function withWords(text: string, side: DiffLine['in'], other: string | undefined): DiffLine {
  if (other === undefined || Math.max(text.length, other.length) > wordsUpTo) return { text, in: side };
  const parts = diffWordsWithSpace(side === 'mine' ? other : text, side === 'mine' ? text : other)
    .filter((part) => (side === 'mine' ? !part.removed : !part.added))
    .map(({ value, added, removed }) => ({ text: value, changed: added || removed }));
  // Lines that have nothing in common are no change of words.
  return parts.some(({ changed, text }) => !changed && text.trim())
    ? { text, in: side, parts }
    : { text, in: side };
}
