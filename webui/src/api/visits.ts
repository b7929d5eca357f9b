import { api, type Query } from './client';

/** ShareKind is what a share is of. */
export type ShareKind = 'paste' | 'file' | 'collection';

/** Visit is somebody who opened a share or was turned away; several alike within a second are one. */
export interface Visit {
  n: number;
  timestamp: string;
  kind: ShareKind;
  share_id: string;
  slug: string;
  /** name is that of the file, the remark of a text or the title of a collection. */
  name: string;
  created_by: string;
  /** who is the key or administrator that was signed in; "" for a visitor. */
  who: string;
  key_name?: string;
  address: string;
  /** agent is program and system. */
  agent: string;
  how: 'page' | 'raw' | 'download' | 'preview' | 'zip';
  /** item is the one file of a collection. */
  item: string;
  verdict: 'opened' | 'password_wrong' | 'used_up' | 'expired' | 'key_required';
  times: number;
  views: number;
}

interface VisitPage {
  visits: Visit[];
  /** total is at most 100,000. */
  total: number;
  /** next is before of the next page; null: there is none. */
  next: number | null;
}

/** visitsOf reads who opened one share; of one's own, or of any as administrator. */
export const visitsOf = (kind: ShareKind, id: string, before: number, signal?: AbortSignal) =>
  api.get<VisitPage>(`/shares/${kind}/${encodeURIComponent(id)}/log`, {
    query: { ...(before > 0 && { before }) },
    signal,
  });

/** ShareAccess is who may open a share at all, and how its end moves. */
export interface ShareAccess {
  key_only: boolean;
  /** sliding_days is how long it lives after it was last opened; 0: its end stays. */
  sliding_days: number;
  /** sliding_until is the end that no opening moves past. */
  sliding_until: string | null;
  expires_at: string | null;
}

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
