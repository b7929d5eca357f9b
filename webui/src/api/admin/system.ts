import { api } from '../client';
import type { Paging } from '../types';
import type { Config } from './storage';

export interface Bucket extends Config {
  usedStorage: number;
  totalStorage: number;
  fileCount: number;
  usagePercent: number;
  providerType: string;
}

export interface Stats {
  totalPastes: number;
  totalFiles: number;
  totalApiKeys: number;
  totalS3Configs: number;
  /** bytes */
  totalStorageUsed: number;
  s3Buckets: Bucket[];
  /** per UTC day, the oldest first, today last. */
  lastWeekPastes: number[];
  lastWeekFiles: number[];
}

export interface CacheUse {
  cacheSize: number;
  /** 0 to 1 */
  hitRate: number;
}

export interface CacheStats {
  cache: Record<'directory' | 's3Url' | 'search', CacheUse> & Record<string, CacheUse>;
  system: { memory: { rss: number; heapUsed: number }; uptime: number };
}

export interface Version {
  version: string;
  environment: string;
  storage: string;
  nodeVersion: string;
  /** seconds */
  uptime: number;
}

export interface AdminSession {
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

export interface SettingsSaved {
  updatedCount: number;
  errors: { key: string; error: string }[];
}

export const readStats = (signal?: AbortSignal) => api.get<Stats>('/admin/dashboard/stats', { signal });
export const readCaches = (signal?: AbortSignal) => api.get<CacheStats>('/admin/cache/stats', { signal });
export const clearCaches = () => api.post<{ clearedCount: number }>('/admin/cache/clear');
export const readAbout = (signal?: AbortSignal) => api.get<Version>('/version', { signal });

/** countFailed tells how many jobs of the server have failed and are still listed. */
export const countFailed = async (signal?: AbortSignal) =>
  (await api.get<{ pagination: Paging }>('/fs/tasks', { query: { status: 'failed', limit: 1 }, signal }))
    .pagination.total;

/** confirmPassword shows the password again, which counts for an hour. `code` is that of a second step, or "". */
export const confirmPassword = (currentPassword: string, code: string) =>
  api.post<unknown>('/admin/confirm', { currentPassword, ...(code && { code }) });

export const listSessions = (signal?: AbortSignal) => api.get<AdminSession[]>('/admin/sessions', { signal });
export const endSession = (id: string) => api.del<unknown>(`/admin/sessions/${encodeURIComponent(id)}`);

export const readGroup = (group: number, signal?: AbortSignal) =>
  api.get<SettingRow[]>('/admin/settings', { query: { group }, signal });

/** saveGroup saves settings one by one; those that were refused come back with the reason. */
export const saveGroup = (group: number, values: Record<string, string>) =>
  api.put<SettingsSaved>(`/admin/settings/group/${group}`, values);
