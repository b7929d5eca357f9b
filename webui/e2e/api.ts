import { randomUUID } from 'node:crypto';
import { adminPassword } from './program';

/** permission bits of API keys (§6). */
export const bits = { TEXT: 1, FILE_SHARE: 2 } as const;

/** serverUrl is where the program of this worker listens. */
export function serverUrl(): string {
  const url = process.env.PASTEPORT_E2E_URL;
  if (!url) throw new Error('no flow of fixtures.ts runs, which starts the program');
  return url;
}

let token: string | undefined;

/** adminToken signs in once per worker, and again when that session has made room for others. */
export async function adminToken(): Promise<string> {
  if (!token || !(await isGood(token)))
    ({ token } = await send<{ token: string }>('POST', '/admin/login', {
      username: 'admin',
      password: adminPassword,
    }));
  return token;
}

const isGood = async (token: string) =>
  (await fetch(`${serverUrl()}/api/test/admin-token`, { headers: { Authorization: `Bearer ${token}` } })).ok;

/** freshSlug is one that no test has used, not even a try of the same one. */
export const freshSlug = () => `e2e-${randomUUID().slice(0, 8)}`;

/** createKey makes an API key with the bits and answers its secret. */
export async function createKey(name: string, permissions: number): Promise<string> {
  const made = await asAdmin<{ key: string }>('POST', '/admin/api-keys', {
    name,
    permissions,
    basic_path: '/',
    expires_at: 'never',
  });
  return made.key;
}

interface PasteFields {
  content: string;
  slug?: string;
  remark?: string;
  password?: string;
  maxViews?: number;
  syntax?: string;
}

export const createPaste = (fields: PasteFields) => asAdmin<{ slug: string }>('POST', '/paste', fields);

/** viewsOf is how often a paste was opened. */
export const viewsOf = async (slug: string) =>
  (await asAdmin<{ views: number }>('GET', `/pastes/${slug}`)).views;

interface FileFields {
  slug: string;
  password?: string;
  max_views?: number;
  remark?: string;
}

/** createFile shares a file the way an upload script does: presign, PUT, commit. It answers the id. */
export async function createFile(
  filename: string,
  bytes: Uint8Array<ArrayBuffer>,
  fields: FileFields,
): Promise<string> {
  const [config] = await asAdmin<{ id: string }[]>('GET', '/s3-configs');
  const presigned = await asAdmin<{ file_id: string; upload_url: string }>('POST', '/s3/presign', {
    s3_config_id: config?.id,
    filename,
    size: bytes.length,
    ...fields,
  });
  const put = await fetch(new URL(presigned.upload_url, serverUrl()), { method: 'PUT', body: bytes });
  if (!put.ok) throw new Error(`PUT ${filename}: ${put.status} ${await put.text()}`);
  await asAdmin('POST', '/s3/commit', {
    file_id: presigned.file_id,
    size: bytes.length,
    etag: put.headers.get('etag'),
  });
  return presigned.file_id;
}

/** createCollection makes one link for files with these names, each of which holds its name. */
export async function createCollection(slug: string, names: readonly string[]): Promise<{ id: string }> {
  const ids: string[] = [];
  for (const name of names)
    ids.push(await createFile(name, new TextEncoder().encode(name), { slug: freshSlug() }));
  return asAdmin('POST', '/collections', { slug, file_ids: ids });
}

/** putFile stores a file of a mount through the server; missing folders are made. */
export async function putFile(path: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
  const response = await fetch(`${serverUrl()}/api/fs/upload?path=${encodeURIComponent(path)}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${await adminToken()}` },
    body: content,
  });
  if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
}

/** asAdmin makes a call as the administrator and answers its data. */
export async function asAdmin<T>(method: string, path: string, body?: unknown): Promise<T> {
  return send<T>(method, path, body, { Authorization: `Bearer ${await adminToken()}` });
}

async function send<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(`${serverUrl()}/api${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  const answer = JSON.parse(text) as { data?: T };
  return (answer.data ?? answer) as T;
}
