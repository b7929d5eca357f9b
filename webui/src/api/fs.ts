import { api, type Query, apiUrl, authHeaders, newIdempotencyKey } from './client';
import { ApiError } from './errors';
import type { NewLatch, Paging, RevisionHistory } from './types';
import type { Schema } from './schema';

/**
 * An entry of a folder. A folder's path ends in "/"; `isVirtual` marks those above the mounts and the mounts themselves.
 * `size` in bytes, null or absent while nobody knows; `reachable` is false for a name that no path can have.
 */
export type Entry = Schema<'fsItemJSON'>;

/** What a folder holds; `truncated` when the storage gave no end of it. */
export type Listing = Schema<'fsListJSON'>;

/** A Mark says that a file of a folder has a share. */
export type Mark = Omit<Schema<'markJSON'>, 'url' | 'raw_url'>;

/** LinkMark is a link for several entries that leads to one of a folder; an empty `name` means all of them. */
export type LinkMark = Omit<Schema<'linkJSON'>, 'url' | 'raw_url'>;

/** One file, with links to its bytes that need no credential. */
export type EntryFacts = Schema<'fsDetailsJSON'>;

/** A link to a file that needs no credential; `expiresIn` in seconds. */
export type FileLink = Schema<'linkAnswer'>;

/** What did not work for one path of a batch. */
export type FailedPath = Schema<'failedPathJSON'>;

/** A Started call goes on as a task. */
export type Started = Schema<'startedJSON'>;

/** The share that a file of a folder was given. */
type MadeFileShare = Schema<'mountShareJSON'>;

/** What a search found. */
export type Hit = Schema<'foundJSON'>;

/** A page of what a search found; `indexedAt` is how fresh it is, null when the storage itself was asked. */
type SearchAnswer = Schema<'searchJSON'>;

/** Where a search looks: everywhere, in one mount, or below one folder. */
export type SearchScope = 'global' | 'mount' | 'directory';

/** How far a task is; "partial" ended with some files failed. */
type TaskStatus = 'pending' | 'running' | 'interrupted' | 'completed' | 'partial' | 'failed' | 'cancelled';

/** Task is work that the server does in the background; `progress` is 0 to 100. */
export type Task = Schema<'taskJSON', { status: TaskStatus }>;

/** A task with what became of its files. */
export type TaskDetails = Schema<'taskDetailsJSON', { status: TaskStatus }>;

/** What is done with a name that exists at the target. */
export type Conflict = 'skip' | 'overwrite' | 'rename';

/**
 * listFolder reads a folder whole; fresh asks the storage instead of the server's cache. onAge is told how many
 * seconds ago the storage was asked.
 */
export const listFolder = (
  path: string,
  fresh: boolean,
  signal: AbortSignal,
  onAge?: (seconds: number) => void,
) =>
  api.get<Listing>('/fs/list', {
    query: { path, ...(fresh && { refresh: true }) },
    signal,
    timeout: 60_000,
    ...(onAge && { onAge, onCopy: (at) => onAge((Date.now() - at.getTime()) / 1000) }),
  });

/** listMarks lists the shares that lead to what a folder holds, as far as this visitor may see them. */
export const listMarks = (path: string, signal?: AbortSignal) =>
  api.get<{ shares: Mark[]; links?: LinkMark[] }>('/fs/shares', { query: { path }, signal, live: true });

/** getEntry reads what the server knows of one entry. */
export const getEntry = (path: string, signal?: AbortSignal) =>
  api.get<EntryFacts>('/fs/get', { query: { path }, signal });

/** fileLink makes a link that needs no credential; expiresIn in seconds, absent for the storage's own time. */
export const fileLink = (
  path: string,
  options: { download: boolean; expiresIn?: number },
  signal?: AbortSignal,
) =>
  api.get<FileLink>('/fs/file-link', {
    query: { path, force_download: options.download, expires_in: options.expiresIn },
    signal,
  });

/** bytesUrl is where a file's bytes come from for a script, with the session's credential. */
export const bytesUrl = (path: string) => apiUrl('/fs/download', { path, inline: true });

/** thumbnailUrl is a small picture of a file; size is how long its longer side shall be, in px. */
export const thumbnailUrl = (path: string, size: number) => apiUrl('/fs/thumbnail', { path, size });

/** uploadUrl takes a file's bytes by PUT, with the session's credential. */
export const uploadUrl = (path: string) => apiUrl('/fs/upload', { path });

/** readFile reads a file's bytes with their entity tag, without quotes. */
export async function readFile(path: string, signal?: AbortSignal) {
  const response = await reach(bytesUrl(path), { headers: authHeaders(), cache: 'no-store' }, signal);
  const etag = (response.headers.get('ETag') ?? '').replace(/^W\/|"/g, '');
  return { bytes: new Uint8Array(await response.arrayBuffer()), etag };
}

/** putFile stores bytes over the version with the entity tag given; "new" only where nothing is. */
export async function putFile(path: string, bytes: Uint8Array<ArrayBuffer>, etag: string) {
  const condition: Record<string, string> =
    etag === 'new' ? { 'If-None-Match': '*' } : etag ? { 'If-Match': `"${etag}"` } : {};
  const headers = { ...authHeaders(), ...condition, 'Content-Type': 'application/octet-stream' };
  const response = await reach(uploadUrl(path), { method: 'PUT', headers, body: bytes });
  return ((await response.json()) as { data: { etag?: string } }).data;
}

/** reach makes a call whose body or answer is a file; it throws what `api` throws. */
export async function reach(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(url, { ...init, ...(signal && { signal }) }).catch(() => {
    throw new ApiError('', { failure: signal?.aborted ? 'aborted' : 'network' });
  });
  if (response.ok) return response;
  const told = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const text = (name: string) => (typeof told[name] === 'string' ? told[name] : '');
  throw new ApiError(text('message'), {
    status: response.status,
    code: text('error'),
    requestId: text('request_id'),
  });
}

/** saveText stores a text over the version with the entity tag given; over any without one. */
export const saveText = (path: string, content: string, etag: string) =>
  api.post<{ etag?: string }>('/fs/update', { path, content, ...(etag && { etag }) }, { timeout: 120_000 });

/** listFileRevisions reads what is kept of the earlier contents of a file. */
export const listFileRevisions = (path: string, signal?: AbortSignal) =>
  api.get<RevisionHistory>('/fs/revisions', { query: { path }, signal });

/** readFileRevision reads an earlier content of a file. */
export async function readFileRevision(path: string, version: number, signal?: AbortSignal) {
  const url = apiUrl(`/fs/revisions/${version}`, { path });
  return (await reach(url, { headers: authHeaders() }, signal)).blob();
}

/** restoreFileRevision makes an earlier content the file's again; fails with 412 when the file is no longer the one that `etag` names. */
export const restoreFileRevision = (path: string, version: number, etag: string) =>
  api.post<unknown>(
    `/fs/revisions/${version}/restore`,
    { path, etag },
    { idempotencyKey: newIdempotencyKey() },
  );

/** keepFileRevisions says whether edits of a file keep what they replace; without, what is kept is removed. */
export const keepFileRevisions = (path: string, keep: boolean) =>
  api.put<unknown>('/fs/revisions', { path, keep });

/** makeFolder makes a folder. */
export const makeFolder = (path: string) => api.post<unknown>('/fs/mkdir', { path });

/** rename answers a task when it was asked to go on in the background. */
export const rename = (oldPath: string, newPath: string, inBackground: boolean) =>
  api.post<Started | undefined>('/fs/rename', { oldPath, newPath, ...(inBackground && { mode: 'task' }) });

/** remove deletes files and folders, at once or as a task. */
export const remove = (paths: string[], inBackground: boolean) =>
  api.del<Schema<'removedJSON'>>('/fs/batch-remove', {
    paths,
    ...(inBackground && { mode: 'task' }),
  });

/** zip asks for files and folders as one ZIP file; the link in the answer works once, for a minute. */
export const zip = (paths: string[], name?: string) =>
  api.post<{ url: string; name: string }>('/fs/archive', { paths, ...(name && { name }) });

/** folderSize counts a folder with all below it; bytes. */
export const folderSize = (path: string, signal?: AbortSignal) =>
  api.get<{ size: number; files: number; partial: boolean }>('/fs/size', {
    query: { path },
    signal,
    timeout: 120_000,
  });

/** What is copied or moved, and to which path. */
interface CopyItem {
  sourcePath: string;
  targetPath: string;
}

/** copy starts a task that copies files and folders. */
export const copy = (items: CopyItem[], conflict: Conflict) =>
  api.post<Started>('/fs/batch-copy', { items, conflict, mode: 'task' });

/** move starts a task that moves files and folders. */
export const move = (items: CopyItem[], conflict: Conflict) =>
  api.post<Started>('/fs/move', { items, conflict, mode: 'task' });

/** shareEntry gives a file of a folder a link. */
export const shareEntry = (
  body: NewLatch & {
    path: string;
    slug?: string;
    remark?: string;
    password?: string;
    expires_in?: number;
    max_views?: number;
  },
) => api.post<MadeFileShare>('/fs/create-share', body);

/** SearchNarrow leaves out of a search what is not wanted; sizes in bytes, times as ISO 8601, all inclusive. */
export interface SearchNarrow {
  kind?: string;
  min_size?: number;
  max_size?: number;
  modified_after?: string;
  modified_before?: string;
}

/** What is searched for, and where; limit and offset count hits. */
export interface SearchQuery extends SearchNarrow {
  q: string;
  scope: SearchScope;
  path?: string;
  mount_id?: string;
  limit?: number;
  offset?: number;
}

/** search reads a page of what matches. */
export const search = (query: SearchQuery, signal?: AbortSignal) =>
  api.get<SearchAnswer>('/fs/search', { query: { ...query }, signal });

/** listMounts names the mounts that the caller may use. */
export const listMounts = (signal?: AbortSignal) =>
  api.get<Schema<'usableMountJSON'>[]>('/user/mounts', { signal });

/** listTasks lists the newest tasks of the caller. */
export const listTasks = (signal?: AbortSignal) =>
  api.get<{ tasks: Task[]; pagination: Paging }>('/fs/tasks', { query: { limit: 50 }, signal });

/** pageTasks reads a page of the tasks of everybody, or of the key that asks. */
export const pageTasks = (query: Query, signal?: AbortSignal) =>
  api.get<{ tasks: Task[]; pagination: Paging }>('/fs/tasks', { query, signal });

/** getTask reads a task with the first of its files. */
export const getTask = (id: string, signal?: AbortSignal) =>
  api.get<TaskDetails>(`/fs/tasks/${encodeURIComponent(id)}`, { query: { limit: 100 }, signal });

/** cancelTask asks a task to end; what it has done stays. */
export const cancelTask = (id: string) => api.post<Task>(`/fs/tasks/${encodeURIComponent(id)}/cancel`);
/** retryTask does again what a task has not done. */
export const retryTask = (id: string) => api.post<Task>(`/fs/tasks/${encodeURIComponent(id)}/retry`);
/** forgetTask takes a task that has ended off the list. */
export const forgetTask = (id: string) => api.del<unknown>(`/fs/tasks/${encodeURIComponent(id)}`);

/** Where the bytes of an upload go, and what commitUpload is told of it. */
type PresignedPlace = Schema<'fsPresignAnswer'>;

/** presignUpload answers the address to PUT a file of a folder to. */
export const presignUpload = (path: string, file: { name: string; size: number }, signal?: AbortSignal) =>
  api.post<PresignedPlace>('/fs/presign', { path, fileName: file.name, fileSize: file.size }, { signal });

/** commitUpload tells the server that the bytes have arrived. */
export const commitUpload = (
  place: Omit<PresignedPlace, 'presignedUrl'>,
  file: { size: number; etag: string | null },
  signal?: AbortSignal,
) =>
  api.post<{ fileName: string; targetPath: string }>(
    '/fs/presign/commit',
    { ...place, fileSize: file.size, etag: file.etag },
    { signal },
  );

/** Which multipart upload: its folder and the file's name there. */
interface PartsOf {
  path: string;
  fileName: string;
}

/** initParts begins an upload in parts and answers an address for each; partSize in bytes. */
export const initParts = (
  body: PartsOf & { fileSize: number; partSize: number; partCount: number },
  signal?: AbortSignal,
) => api.post<Schema<'fsBeginAnswer'>>('/fs/multipart/init', body, { signal });

/** listUploads lists the unfinished uploads below a folder. */
export const listUploads = (path: string, signal?: AbortSignal) =>
  api.post<Schema<'fsUploadsAnswer'>>('/fs/multipart/list-uploads', { path }, { signal });

/** listParts tells which parts have arrived. */
export const listParts = (body: PartsOf & { uploadId: string }, signal?: AbortSignal) =>
  api.post<Pick<Schema<'fsPartsAnswer'>, 'parts'>>('/fs/multipart/list-parts', body, {
    signal,
  });

/** refreshParts answers new addresses for parts whose old ones have expired. */
export const refreshParts = (
  body: PartsOf & { uploadId: string; partNumbers: number[] },
  signal?: AbortSignal,
) =>
  api.post<Schema<'fsRefreshAnswer'>>('/fs/multipart/refresh-urls', body, {
    signal,
  });

/** completeParts joins the parts to the file. */
export const completeParts = (
  body: PartsOf & { uploadId: string; fileSize: number; parts: { PartNumber: number; ETag: string }[] },
  signal?: AbortSignal,
) => api.post<unknown>('/fs/multipart/complete', body, { signal, timeout: 120_000 });

/** abortParts gives an upload up; its parts are dropped. */
export const abortParts = (body: PartsOf & { uploadId: string }) =>
  api.post<unknown>('/fs/multipart/abort', body);
