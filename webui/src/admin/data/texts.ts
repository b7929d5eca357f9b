import type { GetListParams } from 'react-admin';
import { listTexts, type ListQuery } from '../../api/admin/texts';
import type { PasteRow } from '../../api/types';
import type { Source } from './source';

/** queryOf turns react-admin's paging, sorting and filters into the parameters of the lists of shares. */
export function queryOf({ pagination, sort, filter }: GetListParams): ListQuery {
  const { page = 1, perPage = 20 } = pagination ?? {};
  const { q, ...rest } = (filter ?? {}) as Record<string, unknown>;
  const words = Object.fromEntries(
    Object.entries(rest).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  );
  const search = typeof q === 'string' ? q.trim() : '';
  return {
    ...words,
    limit: perPage,
    offset: (page - 1) * perPage,
    search: search || undefined,
    sort: sort?.field,
    order: sort?.order === 'ASC' ? 'asc' : 'desc',
  };
}

export const texts: Source<PasteRow> = {
  async list(params, signal) {
    const { data, pagination } = await listTexts(queryOf(params), signal);
    return { data, total: pagination.total };
  },
};
