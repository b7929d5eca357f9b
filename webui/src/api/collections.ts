import { api } from './client';
import type { Collection, FilePeek, NewCollection, PublicCollection } from './types';

const shared = (slug: string) => `/public/collections/${encodeURIComponent(slug)}`;

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
