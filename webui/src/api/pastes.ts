import { api, apiUrl, newIdempotencyKey, type CallOptions } from './client';
import type {
  CreatedPaste,
  Paste,
  PasteDetail,
  PasteDraft,
  PasteList,
  PastePeek,
  PasteUpdate,
  RevisionHistory,
} from './types';

const at = (slug: string) => `/paste/${encodeURIComponent(slug)}`;

/**
 * createPaste stores a text; repeated with the same key it answers the same paste. `tell` counts where it has to wait
 * for the network.
 */
export const createPaste = (draft: PasteDraft, idempotencyKey: string, tell = false) =>
  api.post<CreatedPaste>('/paste', draft, { idempotencyKey, tell });

/** readPaste takes a view when the paste has no password. */
export const readPaste = (slug: string, options?: Pick<CallOptions, 'signal' | 'onCopy'>) =>
  api.get<Paste>(at(slug), options);

/** peekPaste tells whether a paste exists, is protected or has one view left; it takes no view. */
export const peekPaste = (slug: string, signal?: AbortSignal) =>
  api.get<PastePeek>(at(slug), { query: { peek: 1 }, signal });

/** unlockPaste reads a protected paste and takes a view. */
export const unlockPaste = (slug: string, password: string, signal?: AbortSignal) =>
  api.post<Paste>(at(slug), { password }, { signal });

/** rawPasteUrl is the address of the bare text, absolute, so that it can be used in a terminal. */
export const rawPasteUrl = (slug: string, password = '') =>
  new URL(apiUrl(`/raw/${encodeURIComponent(slug)}`, { password: password || undefined }), location.origin)
    .href;

/** listPastes reads a page of the caller's texts, the newest first. */
export const listPastes = (
  query: { limit?: number; offset?: number; search?: string },
  signal?: AbortSignal,
) => api.whole<PasteList>('/pastes', { query, signal });

const owned = (idOrSlug: string) => `/pastes/${encodeURIComponent(idOrSlug)}`;

/** getPaste reads an own paste with its entity tag, which updatePaste compares; it takes no view. */
export async function getPaste(idOrSlug: string, signal?: AbortSignal) {
  let etag = '';
  const paste = await api.get<PasteDetail>(owned(idOrSlug), { signal, onTag: (tag) => (etag = tag) });
  return { paste, etag };
}

/** updatePaste changes an own paste; fails with 412 when it is no longer the one that `etag` names. */
export const updatePaste = (id: string, body: PasteUpdate, etag: string) =>
  api.put<{ id: string; slug: string }>(owned(id), body, {
    idempotencyKey: newIdempotencyKey(),
    ...(etag && { headers: { 'If-Match': etag } }),
  });

const revisionsOf = (idOrSlug: string) => `${owned(idOrSlug)}/revisions`;

/** listRevisions reads what is kept of the earlier contents of an own text. */
export const listRevisions = (idOrSlug: string, signal?: AbortSignal) =>
  api.get<RevisionHistory>(revisionsOf(idOrSlug), { signal });

/** readRevision reads an earlier content of an own text. */
export const readRevision = async (idOrSlug: string, version: number, signal?: AbortSignal) =>
  (await api.get<{ content: string }>(`${revisionsOf(idOrSlug)}/${version}`, { signal })).content;

/** restoreRevision makes an earlier content the content again; fails with 412 when the text is no longer the one that `etag` names. */
export const restoreRevision = (idOrSlug: string, version: number, etag: string) =>
  api.post<unknown>(
    `${revisionsOf(idOrSlug)}/${version}/restore`,
    {},
    { idempotencyKey: newIdempotencyKey(), headers: { 'If-Match': etag } },
  );

/** keepRevisions says whether edits of an own text keep what they replace; without, what is kept is removed. */
export const keepRevisions = (idOrSlug: string, keep: boolean) =>
  api.put<unknown>(revisionsOf(idOrSlug), { keep });

/** deletePastes deletes own texts. */
export const deletePastes = (ids: string[]) => api.del<unknown>('/pastes/batch-delete', { ids });
