import { api, type CallOptions } from './client';

/** A value with the entity tag that says to the server which version of it was seen. */
export interface Tagged<T> {
  value: T;
  tag: string;
}

/** readTagged reads a value with its tag. */
export async function readTagged<T>(path: string, options: CallOptions = {}): Promise<Tagged<T>> {
  let tag = '';
  const value = await api.get<T>(path, { ...options, onTag: (etag) => (tag = etag) });
  return { value, tag };
}

/** against makes a change fail with 412 when something else was saved since a version was seen; "" asks nothing. */
export const against = (tag: string): CallOptions => (tag ? { headers: { 'If-Match': tag } } : {});
