import { api } from './client';
import type { Collection, FilePeek, NewCollection, PublicCollection } from './types';

const shared = (slug: string) => `/public/collections/${encodeURIComponent(slug)}`;
const owned = (id: string) => `/collections/${encodeURIComponent(id)}`;

/** createCollection makes one link for files of the caller. */
export const createCollection = (body: NewCollection, signal?: AbortSignal) =>
  api.post<Collection>('/collections', body, { signal });

/** readCollection takes a view when the collection has no password. */
export const readCollection = (slug: string, signal?: AbortSignal) =>
  api.get<PublicCollection>(shared(slug), { signal });

/** peekCollection tells whether a collection exists, is protected or has one view left; it takes no view. */
export const peekCollection = (slug: string, signal?: AbortSignal) =>
  api.get<FilePeek>(shared(slug), { query: { peek: 1 }, signal });

/** unlockCollection proves the password and takes a view. */
export const unlockCollection = (slug: string, password: string, signal?: AbortSignal) =>
  api.post<PublicCollection>(`${shared(slug)}/verify`, { password }, { signal });

/** arrangeItems puts items into an order and renames them; files of the owner that are no item become one. */
export const arrangeItems = (id: string, items: readonly { id: string; filename?: string }[]) =>
  api.put<Collection>(`${owned(id)}/items`, { items });

/** removeItems deletes items with what they hold; what could not be deleted comes back with the reason. */
export const removeItems = (id: string, ids: readonly string[]) =>
  api.del<{ success: number; failed: { id: string; error: string }[] }>(`${owned(id)}/items`, { ids });

/** deleteCollection ends a collection and deletes its items. */
export const deleteCollection = (id: string) => api.del<unknown>(owned(id));
