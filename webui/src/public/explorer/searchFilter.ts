import type { Hit } from '../../api/fs';
import { isText, previewKind } from '../../shared/preview/kind';

export const kinds = ['any', 'folder', 'image', 'video', 'audio', 'text', 'document', 'other'] as const;
export const sizes = ['any', 'small', 'medium', 'large'] as const;
export const ages = ['any', 'day', 'week', 'month', 'year'] as const;

/** SearchFilter narrows what was found. */
export interface SearchFilter {
  kind: (typeof kinds)[number];
  /** size: small below 1 MB, large above 100 MB. */
  size: (typeof sizes)[number];
  /** age is how long ago it was changed at most. */
  age: (typeof ages)[number];
}

export const noFilter: SearchFilter = { kind: 'any', size: 'any', age: 'any' };

const megabyte = 1 << 20;
const day = 86_400_000;
const longest: Record<(typeof ages)[number], number> = {
  any: Infinity,
  day,
  week: 7 * day,
  month: 30 * day,
  year: 365 * day,
};

export const isFiltering = ({ kind, size, age }: SearchFilter) =>
  kind !== 'any' || size !== 'any' || age !== 'any';

/** passes says whether a hit is of the kind, size and age wanted. */
export function passes(hit: Hit, filter: SearchFilter, now: number): boolean {
  return (
    (filter.kind === 'any' || kindOfHit(hit) === filter.kind) &&
    (filter.size === 'any' || (!hit.isDirectory && sizeOf(hit.size ?? 0) === filter.size)) &&
    (filter.age === 'any' || now - Date.parse(hit.modified ?? '') <= longest[filter.age])
  );
}

function kindOfHit(hit: Hit): SearchFilter['kind'] {
  if (hit.isDirectory) return 'folder';
  const kind = previewKind({ filename: hit.name, mimetype: '', type: hit.type ?? 0 });
  if (kind === 'pdf' || kind === 'office') return 'document';
  if (isText(kind)) return 'text';
  return kind;
}

const sizeOf = (size: number) => (size < megabyte ? 'small' : size > 100 * megabyte ? 'large' : 'medium');
