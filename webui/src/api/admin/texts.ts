import { api } from '../client';
import type { PasteList } from '../types';

/** What a page of a list of shares is asked for; it is searched, sorted and cut on the server. */
export interface ListQuery {
  limit: number;
  offset: number;
  search?: string | undefined;
  sort?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  state?: string | undefined;
  created_by?: string | undefined;
  [name: string]: string | number | undefined;
}

/** listTexts reads a page of the texts of everybody. */
export const listTexts = (query: ListQuery, signal?: AbortSignal) =>
  api.whole<PasteList>('/pastes', { query, signal });

/** deleteText tells whether there was such a text to delete. */
export const deleteText = async (id: string) =>
  (await api.del<{ deletedCount: number }>('/pastes/batch-delete', { ids: [id] })).deletedCount > 0;

/** clearExpired deletes all texts that are past their end or used up. */
export const clearExpired = () =>
  api.post<{ deletedCount: number }>('/admin/pastes/clear-expired', { clearExpired: true });
