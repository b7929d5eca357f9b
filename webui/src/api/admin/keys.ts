import { api } from '../client';
import type { Paging } from '../types';
import { against, readTagged } from '../tagged';
import type { ListQuery } from './texts';
import type { Schema } from '../schema';

/**
 * An API key as the administrator sees it; its value is masked but in the answer that made it. An `expires_at` in the
 * year 9999 is never; `former` is the value before the last rotation, as long as it works.
 */
export type Key = Schema<
  'keyJSON',
  { created_at: string; expires_at: string; former?: { key_masked: string; until: string } }
>;

/** What is sent of a key; absent fields stay as they are. */
export interface KeyDraft {
  name?: string;
  permissions?: number;
  role?: string;
  basic_path?: string;
  is_guest?: boolean;
  is_active?: boolean;
  /** expires_at null is never. */
  expires_at?: string | null;
  custom_key?: string;
}

const at = (id: string) => `/admin/api-keys/${encodeURIComponent(id)}`;

/** pageKeys reads a page of the API keys. */
export const pageKeys = (query: ListQuery, signal?: AbortSignal) =>
  api.whole<{ data: Key[]; pagination: Paging }>('/admin/api-keys', { query, signal });
/** readKey reads a key with its entity tag. */
export const readKey = (id: string) => readTagged<Key>(at(id));
/** createKey saves a new key, and answers its value. */
export const createKey = (draft: KeyDraft) => api.post<Key>('/admin/api-keys', draft);
/** updateKey changes a key; fails with 412 when it is no longer the one that `tag` names. */
export const updateKey = (id: string, draft: KeyDraft, tag = '') =>
  api.put<unknown>(at(id), draft, against(tag));

/** rotateKey gives a key another value; the old one works until a time, or ends at once. */
export const rotateKey = (id: string, oldUntil?: string) =>
  api.post<Key>(`${at(id)}/rotate`, oldUntil ? { old_until: oldUntil } : {});
/** retireKey ends the old value of a rotated key before its time. */
export const retireKey = (id: string) => api.del<unknown>(`${at(id)}/former`);

/** How often a key was used on each of the last 30 days, in UTC, today last. */
export type KeyUse = Schema<'keyUseJSON'>;

/** readKeyUse reads how often a key was used. */
export const readKeyUse = (id: string, signal?: AbortSignal) =>
  api.get<KeyUse>(`${at(id)}/usage`, { signal });

/** countShares tells what a key has shared. */
export const countShares = (id: string) =>
  api.get<{ pastes: number; files: number; total: number }>(`${at(id)}/shares`);

/** revokeShares ends all that a key has shared; the key stays. */
export const revokeShares = (id: string) => api.del<{ total: number }>(`${at(id)}/shares`);

/** deleteKey removes a key, on request with all that it shared. */
export const deleteKey = (id: string, revokeShares = false) =>
  api.del<unknown>(at(id), undefined, revokeShares ? { query: { revoke_shares: true } } : {});
