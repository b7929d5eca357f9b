import type { GetListParams, RaRecord } from 'react-admin';
import type { Found } from './source';

/**
 * clientPage searches, sorts and pages a list here that the server answers at once: the storage configs, of which there are few.
 * Filters compare a field with a text.
 */
export function clientPage<R extends RaRecord>(
  all: readonly R[],
  { pagination, sort, filter }: GetListParams,
  searched: readonly (keyof R)[],
): Found<R> {
  const { q, ...equal } = (filter ?? {}) as Record<string, unknown>;
  const words = typeof q === 'string' ? q.trim().toLowerCase() : '';
  const found = all.filter(
    (row) =>
      (words === '' ||
        searched.some((field) =>
          String(row[field] ?? '')
            .toLowerCase()
            .includes(words),
        )) &&
      Object.entries(equal).every(
        ([field, value]) => value === undefined || value === '' || String(row[field]) === value,
      ),
  );
  if (sort) {
    const way = sort.order === 'ASC' ? 1 : -1;
    const field = sort.field as keyof R;
    found.sort((a, b) => way * compare(a[field], b[field]));
  }
  const { page = 1, perPage = found.length } = pagination ?? {};
  return { data: found.slice((page - 1) * perPage, page * perPage), total: found.length };
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a ?? '').localeCompare(String(b ?? ''), undefined, { numeric: true });
}
