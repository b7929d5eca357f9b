import { api, type CallOptions } from '../client';
import { readTagged } from '../tagged';
import type { Paging } from '../types';
import type { Uploaded } from '../usage';
import type { Config } from './storage';

/** A storage config with what lies in it, in bytes. */
export interface Bucket extends Config {
  usedStorage: number;
  totalStorage: number;
  fileCount: number;
  usagePercent: number;
  providerType: string;
}

/** The figures of the dashboard. */
export interface Stats {
  totalPastes: number;
  totalFiles: number;
  totalApiKeys: number;
  totalS3Configs: number;
  /** bytes */
  totalStorageUsed: number;
  s3Buckets: Bucket[];
  /** of the whole site */
  uploads: Uploaded;
  /** per UTC day, the oldest first, today last. */
  perDay: { pastes: number[]; files: number[] };
  /** The server's time while nothing is erased because of it, else null. */
  clock: { now: string; last_sweep: string | null; until: string | null } | null;
  /** The disk of the data folder when it fills up, else null; total and free in bytes. */
  disk: { percent: number; total: number; free: number; full: boolean } | null;
  /** Scheduled backups when the last failed or is overdue, else null. */
  backup: { last_good: string | null; problem: string } | null;
}

/** How a cache of the server is used. */
interface CacheUse {
  cacheSize: number;
  /** 0 to 1 */
  hitRate: number;
}

/** The caches of the server, its memory in bytes and its uptime in seconds. */
interface CacheStats {
  cache: Record<'directory' | 's3Url' | 'search', CacheUse> & Record<string, CacheUse>;
  system: { memory: { rss: number; heapUsed: number }; uptime: number };
}

/** What runs; `nodeVersion` is the name that the API has for the version of Go. */
export interface Version {
  version: string;
  environment: string;
  storage: string;
  nodeVersion: string;
  /** seconds */
  uptime: number;
}

/** Where the administrator is signed in. */
interface AdminSession {
  id: string;
  created_at: string;
  expires_at: string;
  client_ip: string;
  user_agent: string;
  is_current: boolean;
}

/** A setting with its description and, of a select, its choices. */
export interface SettingRow {
  key: string;
  value: string;
  description: string;
  type: 'text' | 'number' | 'bool' | 'select' | 'textarea';
  options: string | null;
  flags: number;
}

/** How many settings were saved, and which were refused. */
interface SettingsSaved {
  updatedCount: number;
  errors: { key: string; error: string }[];
}

/** readStats reads the figures of the dashboard, those per day for 7 to 90 days. */
export const readStats = (days: number, signal?: AbortSignal) =>
  api.get<Stats>('/admin/dashboard/stats', { query: { days }, signal });
/** readCaches reads how the caches are used. */
export const readCaches = (signal?: AbortSignal) => api.get<CacheStats>('/admin/cache/stats', { signal });
/** clearCaches empties the caches of the server. */
export const clearCaches = () => api.post<{ clearedCount: number }>('/admin/cache/clear');
/** confirmClock tells the server that its clock is right, so that it erases again what has expired. */
export const confirmClock = () => api.post<null>('/admin/clock/confirm');
/** readAbout reads what runs. */
export const readAbout = (signal?: AbortSignal) => api.get<Version>('/version', { signal });

/** A job of the server that has failed. */
interface FailedJob {
  id: string;
  type: string;
  title: string;
  error: { message: string } | null;
}

/** listFailed gives the newest jobs of the server that have failed, and how many are still listed. */
export async function listFailed(limit: number, signal?: AbortSignal) {
  const query = { status: 'failed', limit };
  const { tasks, pagination } = await api.get<{ tasks: FailedJob[]; pagination: Paging }>('/fs/tasks', {
    query,
    signal,
  });
  return { jobs: tasks, total: pagination.total };
}

/** confirmPassword shows the password again, which counts for an hour. `code` is that of a second step, or "". */
export const confirmPassword = (currentPassword: string, code: string) =>
  api.post<unknown>('/admin/confirm', { currentPassword, ...(code && { code }) });

/** listSessions lists where the administrator is signed in. */
export const listSessions = (signal?: AbortSignal) => api.get<AdminSession[]>('/admin/sessions', { signal });
/** endSession signs the administrator out somewhere. */
export const endSession = (id: string) => api.del<unknown>(`/admin/sessions/${encodeURIComponent(id)}`);

/** readSettings reads all settings by the numbers of their groups. */
export const readSettings = (signal?: AbortSignal) =>
  api.get<Record<string, SettingRow[]>>('/admin/settings', { signal });
/** readGroup reads a group of settings with its entity tag. */
export const readGroup = (group: number, signal?: AbortSignal) =>
  readTagged<SettingRow[]>('/admin/settings', { query: { group }, signal });

/** saveGroup saves settings one by one; those that were refused come back with the reason. */
export async function saveGroup(
  group: number,
  values: Record<string, string>,
  against: CallOptions = {},
): Promise<SettingsSaved & { tag: string }> {
  let tag = '';
  const options = { ...against, onTag: (etag: string) => (tag = etag) };
  const saved = await api.put<SettingsSaved>(`/admin/settings/group/${group}`, values, options);
  return { ...saved, tag };
}
