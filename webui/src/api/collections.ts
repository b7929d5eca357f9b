import { api, apiUrl } from './client';
import { against, readTagged, type Tagged } from './tagged';
import type {
  BatchDeleted,
  Collection,
  CollectionChange,
  CollectionHead,
  FilePeek,
  NewCollection,
  PublicCollection,
} from './types';

const shared = (slug: string) => `/public/collections/${encodeURIComponent(slug)}`;

/** createCollection makes one link for files of the caller. */
export const createCollection = (body: NewCollection, signal?: AbortSignal) =>
  api.post<Collection>('/collections', body, { signal });

const owned = (id: string) => `/collections/${encodeURIComponent(id)}`;

/** readOwnCollection reads a link of the caller's, by id or slug, with its items; it takes no view. */
export const readOwnCollection = (id: string, signal?: AbortSignal) =>
  readTagged<Collection>(owned(id), { signal });

/** changed sends a change of what was seen under a tag, and answers what it has become. */
async function changed(path: string, body: unknown, tag: string): Promise<Tagged<Collection>> {
  let now = '';
  const value = await api.put<Collection>(path, body, { ...against(tag), onTag: (etag) => (now = etag) });
  return { value, tag: now };
}

/** updateCollection changes the link; what is absent stays. A tag that is not its own any more fails with 412. */
export const updateCollection = (id: string, body: CollectionChange, tag: string) =>
  changed(owned(id), body, tag);

/** arrangeCollection names the items in their order, own files that become items among them. */
export const arrangeCollection = (
  id: string,
  items: readonly { id: string; filename: string }[],
  tag: string,
) => changed(`${owned(id)}/items`, { items }, tag);

/** removeItems deletes items; what could not be deleted comes back with the reason. */
export const removeItems = (id: string, ids: readonly string[]) =>
  api.del<BatchDeleted>(`${owned(id)}/items`, { ids });

/** linksOfFolder are the links of a folder of a mount: the caller's, or all for the administrator. */
export const linksOfFolder = (folder: string, signal?: AbortSignal) =>
  api.get<{ collections: CollectionHead[] }>('/collections', { query: { folder, limit: 100 }, signal });

/** deleteCollection ends a link; of one for uploads the files go, too. */
export const deleteCollection = (id: string) => api.del(owned(id));

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

/** itemPictureUrl is a small picture of an item; size is how long its longer side shall be, in px. */
export const itemPictureUrl = (slug: string, item: string, size: number, ticket = '') =>
  apiUrl(`/collection-thumbnail/${encodeURIComponent(slug)}/${item}`, { size, ticket });
