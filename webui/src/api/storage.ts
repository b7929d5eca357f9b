import { api } from './client';
import type { StorageConfig } from './types';

/** listStorageConfigs gives the configs the caller may upload to. */
export const listStorageConfigs = (signal?: AbortSignal) =>
  api.get<StorageConfig[]>('/s3-configs', { signal });

/** maxUploadSize is the server's limit per file in bytes; 100 MB when the server does not say (§5). */
export async function maxUploadSize(signal?: AbortSignal): Promise<number> {
  const answer = await api.get<{ max_upload_size?: number | null }>('/system/max-upload-size', { signal });
  const megabytes = Number(answer.max_upload_size);
  return (Number.isFinite(megabytes) && megabytes > 0 ? megabytes : 100) * 1024 * 1024;
}
