import { api, apiUrl, authHeaders, newIdempotencyKey } from './client';
import { reach } from './fs';
import type { FormerFiles } from './types';

const formerOf = (id: string) => `/files/${encodeURIComponent(id)}/revisions`;

/** listFormerFiles reads what is kept of the files that an own share had before. */
export const listFormerFiles = (id: string, signal?: AbortSignal) =>
  api.get<FormerFiles>(formerOf(id), { signal });

/** readFormerFile reads a file that an own share had before; it takes no view. */
export async function readFormerFile(id: string, version: number) {
  return (await reach(apiUrl(`${formerOf(id)}/${version}`), { headers: authHeaders() })).blob();
}

/** restoreFormerFile makes a file that an own share had before its file again. */
export const restoreFormerFile = (id: string, version: number) =>
  api.post<unknown>(`${formerOf(id)}/${version}/restore`, {}, { idempotencyKey: newIdempotencyKey() });

/** keepFormerFiles says whether uploads keep the file of an own share that they replace; without, what is kept is removed. */
export const keepFormerFiles = (id: string, keep: boolean) => api.put<unknown>(formerOf(id), { keep });
