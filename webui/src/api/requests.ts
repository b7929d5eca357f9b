import { api, apiUrl } from './client';

/** SentFile is a file as its sender sees it. */
export interface SentFile {
  id: string;
  name: string;
  /** bytes */
  size: number;
  state: 'sending' | 'joining' | 'stored';
  /** part_size in bytes; 0 for a file that goes in one piece. */
  part_size: number;
  part_count: number;
}

/** RequestRules are what a request takes; 0 means no bound. */
export interface RequestRules {
  max_files: number;
  max_bytes: number;
  max_file_bytes: number;
  types: string[];
  ask_name: Ask;
  ask_note: Ask;
}

export type Ask = 'no' | 'optional' | 'required';

/** RequestForm is a request as senders see it; of one with a password nothing else is told without a visit. */
export interface RequestForm extends RequestRules {
  has_password: boolean;
  title: string;
  message: string;
  expires_at: string | null;
  visit: string;
  files: SentFile[];
}

export interface Announced extends SentFile {
  arrived: number[];
  links: { partNumber: number; url: string }[];
}

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
  signal?: AbortSignal,
) => api.post<Announced>(`${at(slug)}/files`, body, as(visit, signal));

/** resumeFile tells which parts have arrived, with fresh links for the others. */
export const resumeFile = (slug: string, visit: string, id: string, signal?: AbortSignal) =>
  api.get<Announced>(file(slug, id), as(visit, signal));

export const completeFile = (slug: string, visit: string, id: string, signal?: AbortSignal) =>
  api.post<SentFile>(`${file(slug, id)}/complete`, {}, as(visit, signal));

export const cancelFile = (slug: string, visit: string, id: string) =>
  api.del<unknown>(file(slug, id), undefined, as(visit));

export const contentUrl = (slug: string, id: string) => apiUrl(`${file(slug, id)}/content`);
