import { api, type Query } from './client';
import type { Schema } from './schema';

/** ShareKind is what a share is of. */
export type ShareKind = 'paste' | 'file' | 'collection';

/** Visit is somebody who opened a share or was turned away; several alike within a second are one. */
export type Visit = Schema<
  'visitJSON',
  {
    timestamp: string;
    kind: ShareKind;
    key_name?: string;
    how: 'page' | 'raw' | 'download' | 'preview' | 'zip';
    verdict: 'opened' | 'password_wrong' | 'used_up' | 'expired' | 'key_required';
  }
>;

type VisitPage = Schema<'visitListJSON', { visits: Visit[] }>;

/** visitsOf reads who opened one share; of one's own, or of any as administrator. */
export const visitsOf = (kind: ShareKind, id: string, before: number, signal?: AbortSignal) =>
  api.get<VisitPage>(`/shares/${kind}/${encodeURIComponent(id)}/log`, {
    query: { ...(before > 0 && { before }) },
    signal,
  });

/**
 * ShareAccess is who may open a share at all, and how its end moves: `sliding_days` after it was last opened, 0 for never,
 * and no further than `sliding_until`.
 */
export type ShareAccess = Schema<'accessJSON'>;

const accessPath = (kind: ShareKind, id: string) => `/shares/${kind}/${encodeURIComponent(id)}/access`;

/** readAccess reads who may open a share of one's own. */
export const readAccess = (kind: ShareKind, id: string, signal?: AbortSignal) =>
  api.get<ShareAccess>(accessPath(kind, id), { signal });

/** changeAccess says who may open a share; what is absent stays. */
export const changeAccess = (kind: ShareKind, id: string, change: Partial<Omit<ShareAccess, 'expires_at'>>) =>
  api.put<ShareAccess>(accessPath(kind, id), change);

/** allVisits reads who opened shares of everybody. */
export const allVisits = (query: Query, signal?: AbortSignal) =>
  api.get<VisitPage>('/admin/shares/visits', { query, signal });
