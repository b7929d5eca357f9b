import { api } from './client';

/** What somebody has uploaded since midnight UTC, and what their file shares hold. */
export interface Uploaded {
  /** bytes */
  bytes_today: number;
  files_today: number;
  /** bytes of file shares, but those of files in mounts */
  bytes_stored: number;
}

/** Quotas are what the caller has used, and the limits of that; a limit of 0 is none. */
export interface Quotas {
  usage: Uploaded;
  limits: Uploaded;
}

/** readQuotas reads what the caller has used of what it may. */
export const readQuotas = (signal?: AbortSignal) => api.get<Quotas>('/usage', { signal });
