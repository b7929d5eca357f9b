import { api } from '../client';
import type { FileList } from '../types';
import type { ListQuery } from './texts';

/** listShared reads a page of the shared files of everybody. */
export const listShared = (query: ListQuery, signal?: AbortSignal) =>
  api.get<FileList>('/files', { query, signal });
