import { api } from './client';
import type { Collection, CollectionHead, FilePeek, NewCollection, PublicCollection } from './types';

const shared = (slug: string) => `/public/collections/${encodeURIComponent(slug)}`;

/** createCollection makes one link for files of the caller. */
export const createCollection = (body: NewCollection, signal?: AbortSignal) =>
  api.post<Collection>('/collections', body, { signal });

/** linksOfFolder are the links of a folder of a mount: the caller's, or all for the administrator. */
export const linksOfFolder = (folder: string, signal?: AbortSignal) =>
  api.get<{ collections: CollectionHead[] }>('/collections', { query: { folder, limit: 100 }, signal });

/** deleteCollection ends a link; of one for uploads the files go, too. */
export const deleteCollection = (id: string) => api.del(`/collections/${id}`);

/** Which part of a shared folder is looked at, and the ticket of the visit. */
export interface Shown {
  folder?: string | undefined;
  offset?: number | undefined;
  ticket?: string | undefined;
}

/** readCollection takes a view when the collection has no password and the visit has no ticket. */
export const readCollection = (slug: string, { folder, offset, ticket }: Shown = {}, signal?: AbortSignal) =>
  api.get<PublicCollection>(shared(slug), { query: { folder, offset, ticket }, signal });

/** peekCollection tells whether a collection exists, is protected or has one view left; it takes no view. */
export const peekCollection = (slug: string, signal?: AbortSignal) =>
  api.get<FilePeek>(shared(slug), { query: { peek: 1 }, signal });

/** unlockCollection proves the password and takes a view. */
export const unlockCollection = (
  slug: string,
  password: string,
  { folder = '', offset = 0 }: Shown = {},
  signal?: AbortSignal,
) => api.post<PublicCollection>(`${shared(slug)}/verify`, { password, folder, offset }, { signal });
