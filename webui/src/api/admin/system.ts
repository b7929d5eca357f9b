import { api, type CallOptions } from '../client';
import { readTagged } from '../tagged';
import type { Paging } from '../types';
import type { Config } from './storage';
import type { Schema } from '../schema';

/** A storage config with what lies in it, in bytes. */
export type Bucket = Schema<'bucketJSON'> & Config;

/**
 * The figures of the dashboard: storage in bytes, `uploads` of the whole site, `perDay` by UTC day, today last. `clock` is
 * there while nothing is erased because of it, `disk` while it fills up, `backup` when the last failed or is overdue.
 */
export type Stats = Schema<'dashboardData', { s3Buckets: Bucket[] }>;

/** The caches of the server, its memory in bytes and its uptime in seconds. */
type CacheStats = Schema<
  'cacheData',
  { cache: Record<'directory' | 's3Url' | 'search', Schema<'cacheJSON'>> }
>;

/** What runs; `nodeVersion` is the name that the API has for the version of Go. */
export type Version = Schema<'versionData'>;

/** Where the administrator is signed in. */
type AdminSession = Schema<'sessionJSON', { created_at: string; expires_at: string }>;

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
type SettingsSaved = Schema<'updateData'>;

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
type FailedJob = Schema<'taskJSON'>;

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
