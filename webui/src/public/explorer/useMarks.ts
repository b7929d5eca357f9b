import { useQuery } from '@tanstack/react-query';
import type { LinkMark, Mark } from '../../api/fs';
import { marksQuery } from '../../shared/query/folders';

/** Marked is what leads to an entry: its own shares, and links for several entries that it is part of. */
export interface Marked {
  own: readonly Mark[];
  links: readonly LinkMark[];
}

/** Marks are the shares of the entries of a folder, by name, newest first; "" has the links for all of it. */
export type Marks = ReadonlyMap<string, Marked>;

const none: Marks = new Map();

/** unmarked is an entry that nothing leads to. */
export const unmarked: Marked = { own: [], links: [] };

/** byName sorts shares to the entries that they lead to. */
export function byName({
  shares,
  links = [],
}: {
  shares: readonly Mark[];
  links?: readonly LinkMark[];
}): Marks {
  const marks = new Map<string, { own: Mark[]; links: LinkMark[] }>();
  const of = (name: string) => {
    const known = marks.get(name);
    if (known) return known;
    const fresh = { own: [], links: [] };
    marks.set(name, fresh);
    return fresh;
  };
  for (const share of shares) of(share.name).own.push(share);
  for (const link of links) of(link.name).links.push(link);
  return marks;
}

/** countOf is how many shares lead to an entry, but for those that lead to all of its folder. */
export function countOf(marks: Marks, name: string): number {
  const { own, links } = marks.get(name) ?? unmarked;
  return own.length + links.length;
}

/** useMarks reads the shares of a folder; it begins when its listing is there, and follows it. */
export function useMarks(path: string, enabled: boolean): Marks {
  return useQuery({ ...marksQuery(path), enabled, select: byName }).data ?? none;
}
