import { api } from './client';
import type { Schema } from './schema';

/** What somebody has uploaded since midnight UTC, and what their file shares hold, but for those in mounts; in bytes. */
export type Uploaded = Schema<'usageJSON'>;

/** Quotas are what the caller has used, and the limits of that; a limit of 0 is none. */
export type Quotas = Schema<'quotasJSON'>;

/** readQuotas reads what the caller has used of what it may. */
export const readQuotas = (signal?: AbortSignal) => api.get<Quotas>('/usage', { signal });
