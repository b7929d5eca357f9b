import { api } from './client';
import type { Schema } from './schema';
import type { CommittedFile, PresignRequest } from './types';

/** FileParts is an upload of a share in parts: its record, and the storage's name for it. */
export interface FileParts {
  file_id: string;
  upload_id: string;
}

/** The reserved share, with an address for each part; sizes in bytes. */
export type BegunParts = Pick<
  Schema<'fileBeginAnswer'>,
  keyof FileParts | 'slug' | 'provider_type' | 'part_size' | 'part_count' | 'presigned_urls'
>;

const of = ({ file_id, upload_id }: FileParts): FileParts => ({ file_id, upload_id });

/** beginFileParts reserves the share and answers an address for each part. */
export const beginFileParts = (
  body: PresignRequest & { part_size: number; part_count: number },
  signal?: AbortSignal,
) => api.post<BegunParts>('/s3/multipart/init', body, { signal });

/** listFileParts tells what has arrived; code "upload_not_found" when the upload is over or unknown. */
export const listFileParts = (upload: FileParts, signal?: AbortSignal) =>
  api.post<Schema<'filePartsAnswer'>>('/s3/multipart/list-parts', of(upload), { signal });

/** refreshFileParts answers new addresses for parts whose old ones have expired. */
export const refreshFileParts = (upload: FileParts, partNumbers: number[], signal?: AbortSignal) =>
  api.post<Schema<'fileRefreshAnswer'>>(
    '/s3/multipart/refresh-urls',
    { ...of(upload), part_numbers: partNumbers },
    { signal },
  );

/** completeFileParts joins what the storage has; repeating it is harmless. */
export const completeFileParts = (upload: FileParts, signal?: AbortSignal) =>
  api.post<CommittedFile>('/s3/multipart/complete', of(upload), { signal, timeout: 120_000 });

/** abortFileParts gives an upload up; its share is dropped. */
export const abortFileParts = (upload: FileParts) => api.post<unknown>('/s3/multipart/abort', of(upload));
