import type { SearchNarrow } from '../../api/fs';

export const kinds = ['any', 'folder', 'image', 'video', 'audio', 'text', 'document', 'other'] as const;
export const sizes = ['any', 'small', 'medium', 'large', 'own'] as const;
export const ages = ['any', 'day', 'week', 'month', 'year', 'own'] as const;

/** SearchFilter is what the fields say; texts are as they were typed. */
export interface SearchFilter {
  kind: (typeof kinds)[number];
  /** size: small below 1 MB, large above 100 MB, own between least and most. */
  size: (typeof sizes)[number];
  /** age is how long ago it was changed at most; own is between two days. */
  age: (typeof ages)[number];
  /** least and most in MB, for a size of one's own; "" for no bound. */
  least: string;
  most: string;
  /** from and to are days in local time, YYYY-MM-DD, both inclusive; "" for no bound. */
  from: string;
  to: string;
}

export const noFilter: SearchFilter = {
  kind: 'any',
  size: 'any',
  age: 'any',
  least: '',
  most: '',
  from: '',
  to: '',
};

const megabyte = 1 << 20;
const day = 86_400_000;
const longest = { day, week: 7 * day, month: 30 * day, year: 365 * day };

/** narrowOf is what the server is asked; bounds that are no numbers or days, or that cross, are left out. */
export function narrowOf(filter: SearchFilter, now: number): SearchNarrow {
  const narrow: SearchNarrow = { ...sizeOf(filter), ...ageOf(filter, now) };
  if (filter.kind !== 'any') narrow.kind = filter.kind;
  return narrow;
}

function sizeOf({ size, least, most }: SearchFilter): SearchNarrow {
  switch (size) {
    case 'small':
      return { max_size: megabyte - 1 };
    case 'medium':
      return { min_size: megabyte, max_size: 100 * megabyte };
    case 'large':
      return { min_size: 100 * megabyte + 1 };
    case 'own': {
      const bytes = (text: string) =>
        Math.max(0, Math.round((Number(text.replace(',', '.')) || 0) * megabyte));
      const [min, max] = [bytes(least), bytes(most)];
      return { ...(min > 0 && { min_size: min }), ...(max > 0 && max >= min && { max_size: max }) };
    }
    default:
      return {};
  }
}

function ageOf({ age, from, to }: SearchFilter, now: number): SearchNarrow {
  if (age === 'any') return {};
  if (age !== 'own') return { modified_after: new Date(now - longest[age]).toISOString() };
  const [start, end] = [Date.parse(`${from}T00:00:00`), Date.parse(`${to}T23:59:59.999`)];
  return {
    ...(start && { modified_after: new Date(start).toISOString() }),
    ...(end && !(end < start) && { modified_before: new Date(end).toISOString() }),
  };
}
