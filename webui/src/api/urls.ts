import { api, apiUrl } from './client';
import type { Task } from './fs';
import type { CommittedFile, Presigned, PresignRequest } from './types';
import type { Schema } from './schema';

/** UrlInfo is what the server found out about an address of another site; `size` in bytes. */
export type UrlInfo = Schema<'urlInfo'>;

/** UrlRequest announces a file that comes from an address. */
export interface UrlRequest extends Omit<PresignRequest, 'mimetype'> {
  url: string;
  metadata: { filename: string; contentType: string; size: number };
}

/** An upload in parts of a file that comes from an address. */
export type UrlParts = Schema<'beginAnswer'>;

/** urlInfo asks what an address holds and opens it to the proxy for an hour. */
export const urlInfo = (url: string, signal?: AbortSignal) =>
  api.post<UrlInfo>('/url/info', { url }, { signal });

/** urlProxy is where the server hands on the bytes of an address. */
export const urlProxy = (url: string) => apiUrl('/url/proxy', { url });

/** urlPresign reserves the file and answers the address to PUT its bytes to. */
export const urlPresign = (body: UrlRequest, signal: AbortSignal) =>
  api.post<Presigned>('/url/presign', body, { signal });

/** urlCommit tells the server that the bytes have arrived. */
export const urlCommit = (fileId: string, signal: AbortSignal) =>
  api.post<CommittedFile>('/url/commit', { file_id: fileId }, { signal });

/** urlInit begins an upload in parts; sizes in bytes. */
export const urlInit = (
  body: UrlRequest & { part_size: number; total_size: number; part_count: number },
  signal: AbortSignal,
) => api.post<UrlParts>('/url/multipart/init', body, { signal });

/** urlComplete joins the parts to the file. */
export const urlComplete = (
  place: UrlParts,
  parts: { PartNumber: number; ETag: string }[],
  signal: AbortSignal,
) =>
  api.post<{ slug: string }>(
    '/url/multipart/complete',
    { file_id: place.file_id, upload_id: place.upload_id, parts },
    { signal },
  );

/** urlAbort gives an upload in parts up. */
export const urlAbort = (place: UrlParts) =>
  api.post<unknown>('/url/multipart/abort', { file_id: place.file_id, upload_id: place.upload_id });

/** urlCancel gives up a file whose bytes have not arrived. */
export const urlCancel = (fileId: string) => api.post<unknown>('/url/cancel', { file_id: fileId });

/** urlFetch starts a task that brings an address to the storage; it goes on without this page. */
export const urlFetch = (body: UrlRequest, signal?: AbortSignal) =>
  api.post<{ task_id: string; file_id: string; slug: string }>('/url/fetch', body, { signal });

/** listFetches lists those tasks, the newest first. */
export const listFetches = (signal?: AbortSignal) =>
  api.get<{ tasks: Task[] }>('/fs/tasks', { query: { type: 'fetch', limit: 10 }, signal });
