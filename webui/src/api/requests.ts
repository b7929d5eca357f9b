import { api, apiUrl, type Query } from './client';
import { against } from './tagged';
import type { Paging } from './types';
import type { Schema } from './schema';

/** SentFile is a file as its sender sees it; sizes in bytes, a `part_size` of 0 is that of one that goes in one piece. */
export type SentFile = Schema<'sentJSON', { state: 'sending' | 'joining' | 'stored' }>;

export type Ask = 'no' | 'optional' | 'required';

/** Asked is what senders are asked for. */
interface Asked {
  ask_name: Ask;
  ask_note: Ask;
}

/** RequestForm is a request as senders see it; of one with a password nothing else is told without a visit. */
export type RequestForm = Schema<'formJSON', Asked & { files: SentFile[] }>;

export type Announced = Schema<'announcedJSON', Pick<SentFile, 'state'>>;

const at = (slug: string) => `/public/requests/${encodeURIComponent(slug)}`;
const file = (slug: string, id: string) => `${at(slug)}/files/${encodeURIComponent(id)}`;

/** visitHeader says who of the senders is asking. */
export const visitHeader = (visit: string) => ({ 'X-Request-Visit': visit });

const as = (visit: string, signal?: AbortSignal) => ({ live: true, signal, headers: visitHeader(visit) });

/** readRequest reads the form; with a visit also what that has sent. */
export const readRequest = (slug: string, visit: string, signal?: AbortSignal) =>
  api.get<RequestForm>(at(slug), visit ? as(visit, signal) : { live: true, signal });

/** enterRequest begins a visit. */
export const enterRequest = (slug: string, password: string, signal?: AbortSignal) =>
  api.post<RequestForm>(`${at(slug)}/visits`, { password }, { live: true, signal });

/** announceFile reserves a file's place; with links it goes in parts, without in one piece to contentUrl. */
export const announceFile = (
  slug: string,
  visit: string,
  body: { name: string; size: number; sender: string; note: string },
) => api.post<Announced>(`${at(slug)}/files`, body, as(visit));

/** resumeFile tells which parts have arrived, with fresh links for the others. */
export const resumeFile = (slug: string, visit: string, id: string, signal?: AbortSignal) =>
  api.get<Announced>(file(slug, id), as(visit, signal));

export const completeFile = (slug: string, visit: string, id: string, signal?: AbortSignal) =>
  api.post<SentFile>(`${file(slug, id)}/complete`, {}, as(visit, signal));

export const cancelFile = (slug: string, visit: string, id: string) =>
  api.del<unknown>(file(slug, id), undefined, as(visit));

export const contentUrl = (slug: string, id: string) => apiUrl(`${file(slug, id)}/content`);

/** FileRequest is a request as its owner sees it; a bound of 0 is none, a folder of "" makes each file a share. */
export type FileRequest = Schema<
  'requestJSON',
  Asked & { state: 'open' | 'full' | 'expired' | 'ended'; created_at: string; updated_at: string }
>;

/** Received is a file that has come through a request; `place` is a path in the mounts or the id of a file share. */
export type Received = Schema<'receivedJSON'>;

/** RequestDraft is what is sent of a request; absent fields stay as they are. */
export type RequestDraft = Partial<
  Pick<
    FileRequest,
    | 'title'
    | 'message'
    | 'folder'
    | 'folder_per_sender'
    | 'expires_at'
    | 'max_files'
    | 'max_bytes'
    | 'max_file_bytes'
    | 'types'
    | keyof Asked
  >
> & { password?: string };

const owned = (id: string) => `/requests/${encodeURIComponent(id)}`;

/** createRequest makes a link through which others send files. */
export const createRequest = (draft: RequestDraft) => api.post<FileRequest>('/requests', draft);

/** listRequests reads a page of requests, the newest first. */
export const listRequests = (query: Query, signal?: AbortSignal) =>
  api.get<{ requests: FileRequest[]; pagination: Paging }>('/requests', { query, signal });

export const getRequest = (id: string) => api.get<FileRequest>(owned(id));

/** updateRequest changes a request; fails with 412 when it is no longer the one that `tag` names. */
export const updateRequest = (id: string, draft: RequestDraft, tag = '') =>
  api.put<FileRequest>(owned(id), draft, against(tag));

/** endRequest closes the link at once; what has come stays. */
export const endRequest = (id: string) => api.post<FileRequest>(`${owned(id)}/end`);

/** deleteRequest forgets a request with the list of what has come; the files stay. */
export const deleteRequest = (id: string) => api.del<unknown>(owned(id));

/** receivedBy lists what has come through a request, the newest first. */
export const receivedBy = (id: string, signal?: AbortSignal) =>
  api.get<{ files: Received[]; pagination: Paging }>(`${owned(id)}/files`, { query: { limit: 200 }, signal });
