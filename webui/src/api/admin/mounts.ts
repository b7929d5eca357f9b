import { api } from '../client';
import type { Paging } from '../types';
import { against, readTagged } from '../tagged';
import type { ListQuery } from './texts';
import type { Schema } from '../schema';

/** A mount as the administrator sees it; times in seconds, a `sign_expires` of null is the site's, 0 never. */
export type Mount = Schema<'mountJSON', { created_at: string; updated_at: string }>;

/** What is sent of a mount; absent fields stay as they are. */
export type MountDraft = Partial<
  Pick<
    Mount,
    | 'name'
    | 'storage_type'
    | 'storage_config_id'
    | 'mount_path'
    | 'remark'
    | 'sort_order'
    | 'cache_ttl'
    | 'sign_expires'
    | 'webdav_policy'
  >
> & { is_active?: boolean; web_proxy?: boolean; enable_sign?: boolean };

const at = (id: string) => `/admin/mounts/${encodeURIComponent(id)}`;

/** pageMounts is a page of the mounts; listMounts are all of them. */
export const pageMounts = (query: ListQuery, signal?: AbortSignal) =>
  api.whole<{ data: Mount[]; pagination: Paging }>('/admin/mounts', { query, signal });
/** listMounts lists all mounts. */
export const listMounts = (signal?: AbortSignal) => api.get<Mount[]>('/admin/mounts', { signal });
/** readMount reads a mount with its entity tag. */
export const readMount = (id: string) => readTagged<Mount>(at(id));
/** createMount saves a new mount. */
export const createMount = (draft: MountDraft) => api.post<Mount>('/admin/mounts', draft);
/** updateMount changes a mount; fails with 412 when it is no longer the one that `tag` names. */
export const updateMount = (id: string, draft: MountDraft, tag = '') =>
  api.put<unknown>(at(id), draft, against(tag));
/** deleteMount removes a mount; the files below it stay in their storage. */
export const deleteMount = (id: string) => api.del<unknown>(at(id));
