import { api, apiUrl } from './client';
import type {
  BatchDeleted,
  CommitRequest,
  CommittedFile,
  DeleteMode,
  FileDetail,
  FileList,
  FilePeek,
  FileUpdate,
  Presigned,
  PresignRequest,
  PublicFile,
} from './types';

const shared = (slug: string) => `/public/files/${encodeURIComponent(slug)}`;
const owned = (id: string) => `/files/${encodeURIComponent(id)}`;

/** presign reserves the file and answers the address to PUT its bytes to. */
export const presign = (body: PresignRequest, signal?: AbortSignal) =>
  api.post<Presigned>('/s3/presign', body, { signal });

/** commit tells the server that the bytes have arrived; repeating it is harmless. */
export const commit = (body: CommitRequest, signal?: AbortSignal) =>
  api.post<CommittedFile>('/s3/commit', body, { signal });

/** listFiles reads a page of the caller's shared files, the newest first. */
export const listFiles = (
  query: { limit?: number; offset?: number; search?: string },
  signal?: AbortSignal,
) => api.get<FileList>('/files', { query, signal });

/** getFile reads an own file share; it takes no view. */
export const getFile = (id: string, signal?: AbortSignal) => api.get<FileDetail>(owned(id), { signal });

/** isReplaceable says whether another file can be put behind its link: one of a mount or of a link for several files is kept there. */
export const isReplaceable = (
  file: Pick<FileDetail, 'storage_config_id' | 'file_path' | 'collection'>,
): boolean => !!file.storage_config_id && !file.file_path && !file.collection;

/** updateFile changes an own file share. */
export const updateFile = (id: string, body: FileUpdate) => api.put<unknown>(owned(id), body);

/** deleteFiles deletes own file shares; what could not be deleted comes back with the reason. */
export const deleteFiles = (ids: string[], deleteMode: DeleteMode = 'both') =>
  api.del<BatchDeleted>('/files/batch-delete', { ids, delete_mode: deleteMode });

/** readFile takes a view when the file has no password. */
export const readFile = (slug: string, signal?: AbortSignal) => api.get<PublicFile>(shared(slug), { signal });

/** peekFile tells whether a file exists, is protected or has one view left; it takes no view. */
export const peekFile = (slug: string, signal?: AbortSignal) =>
  api.get<FilePeek>(shared(slug), { query: { peek: 1 }, signal });

/** unlockFile proves the password and takes a view. */
export const unlockFile = (slug: string, password: string, signal?: AbortSignal) =>
  api.post<PublicFile>(`${shared(slug)}/verify`, { password }, { signal });

/** lendFile asks for an address at which a foreign viewer can fetch an office document; the ticket spares a view. */
export async function lendFile(slug: string, ticket: string, signal: AbortSignal): Promise<string> {
  const query = ticket ? { ticket } : {};
  const answer = await api.get<{ url?: string }>(`/office-preview/${encodeURIComponent(slug)}`, {
    query,
    signal,
  });
  if (!answer.url) throw new Error('the answer has no address');
  return new URL(answer.url, location.href).href;
}

/** fileViewUrl shows a shared file in the browser. */
export const fileViewUrl = (slug: string) => apiUrl(`/file-view/${encodeURIComponent(slug)}`);
/** fileDownloadUrl saves a shared file. */
export const fileDownloadUrl = (slug: string) => apiUrl(`/file-download/${encodeURIComponent(slug)}`);

/** filePath is the path of the page on which a file is found: of an item, that of its collection. */
export const filePath = ({ slug, collection }: { slug: string; collection?: string | null | undefined }) =>
  collection ? `/collection/${collection}` : `/file/${slug}`;
