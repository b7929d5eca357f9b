import { parse } from 'papaparse';

/** Table is the beginning of a text whose lines are rows of values. */
export interface Table {
  head: string[];
  rows: string[][];
  /** whole is false when there are more rows than were asked for. */
  whole: boolean;
  /** widest is the length of the longest row, in columns. */
  widest: number;
}

/**
 * readTable reads the first `most` rows below the head, and no further into
 * the text than that takes. What parts the values is asked of the name (.tsv)
 * or guessed from the first rows. With `cut` the text ends somewhere in a row,
 * which is left out.
 */
export function readTable(
  text: string,
  { tabs, most, cut }: { tabs: boolean; most: number; cut: boolean },
): Table {
  const { data, meta } = parse<string[]>(text, {
    delimiter: tabs ? '\t' : '',
    delimitersToGuess: [',', ';', '\t', '|'],
    // One more tells whether there are more.
    preview: most + 2,
    skipEmptyLines: 'greedy',
  });
  const all = cut && !meta.truncated ? data.slice(0, -1) : data;
  const [head = [], ...rows] = all;
  return {
    head,
    rows: rows.slice(0, most),
    whole: rows.length <= most,
    widest: all.reduce((widest, row) => Math.max(widest, row.length), 0),
  };
}

const number = /^[-+]?[\d\s.,’']*\d\s*(?:%|[€$£¥])?$/;

/** isNumber says whether a value reads as a number; long rows of digits, such as those of phones and cards, are names. */
export const isNumber = (value: string) => value.length < 24 && number.test(value.trim());
