import { useSyncExternalStore } from 'react';
import { login, logout, testAdminToken, testKey } from '../api/auth';
import { ApiError } from '../api/errors';
import type { KeyCheck } from '../api/types';
import { readStored, readStoredJson, writeStored } from '../config';
import { authEvents, credential, reloadCredential, setCredential, storageKeys } from './credentials';
import { allBits, bitsOf } from './permissions';

/** Who is signed in. */
export interface Session {
  kind: 'none' | 'admin' | 'apikey';
  /** bits are the permission bits; an administrator has all of them. */
  bits: number;
  /** name of the API key; "" for an administrator and a visitor. */
  name: string;
  /** basicPath is the folder the session is confined to; "/" for an administrator. */
  basicPath: string;
  /** id of the API key; "" for an administrator and a visitor. */
  id: string;
  /** checking is true until a restored credential has been validated once. */
  checking: boolean;
  /** can says whether one of the given bits is set. */
  can(bit: number): boolean;
  /** owns says whether the session may manage a share, by its created_by (§6). */
  owns(createdBy: string): boolean;
}

/** Age in milliseconds after which a session is validated again before it is relied on (§9). */
export const validFor = 5 * 60_000;

const listeners = new Set<() => void>();
let validatedAt = 0;
let validating: Promise<void> | undefined;

interface Facts {
  kind: Session['kind'];
  bits?: number;
  name?: string;
  basicPath?: string;
  id?: string;
  checking?: boolean;
}

function make({ kind, bits = 0, name = '', basicPath = '/', id = '', checking = false }: Facts): Session {
  return {
    kind,
    bits,
    name,
    basicPath,
    id,
    checking,
    can: (bit) => (bits & bit) !== 0,
    owns: (createdBy) =>
      kind === 'admin' ||
      (kind === 'apikey' && id !== '' && (createdBy === id || createdBy === `apikey:${id}`)),
  };
}

const none = make({ kind: 'none' });
const admin = (checking = false) => make({ kind: 'admin', bits: allBits, checking });

/** restored is the session as local storage remembers it, not yet validated. */
function restored(): Session {
  const kept = credential();
  if (kept.kind === 'none') return none;
  if (kept.kind === 'admin') return admin(true);
  const info = readStoredJson(storageKeys.keyInfo, isRecord) ?? {};
  const text = (name: string) => (typeof info[name] === 'string' ? info[name] : undefined);
  return make({
    kind: 'apikey',
    bits: bitsOf(readStoredJson(storageKeys.permissions, isPermissions)) ?? 0,
    name: text('name') ?? '',
    basicPath: text('basic_path') ?? '/',
    id: text('id') ?? '',
    checking: true,
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isPermissions = (value: unknown): value is number | object =>
  typeof value === 'number' || isRecord(value);

let current: Session = restored();

function show(next: Session): void {
  current = next;
  dispatchEvent(new CustomEvent(authEvents.changed));
  for (const listener of listeners) listener();
}

/** session is who is signed in now; components use useSession. */
export const session = (): Session => current;

export const useSession = (): Session => useSyncExternalStore(subscribe, session);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** startSession validates what was restored, and follows lost credentials, other tabs and returning to the tab. */
export function startSession(): void {
  const lost = () => show(none);
  addEventListener(authEvents.adminExpired, lost);
  addEventListener(authEvents.keyInvalid, lost);
  addEventListener('storage', (event) => {
    if (event.key !== null && event.key !== storageKeys.adminToken && event.key !== storageKeys.apiKey)
      return;
    reloadCredential();
    show(restored());
    validatedAt = 0;
    void validate();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void ensureFresh();
  });
  void validate();
}

/** ensureFresh validates the session again when the last time is longer ago than five minutes (§5). */
export async function ensureFresh(): Promise<void> {
  if (current.kind !== 'none' && Date.now() - validatedAt > validFor) await validate();
}

/**
 * validate asks the server whether the credential still holds. Without an answer (network down, server error)
 * the session stays: only a refusal ends it.
 */
export function validate(): Promise<void> {
  validating ??= check().finally(() => (validating = undefined));
  return validating;
}

async function check(): Promise<void> {
  const asked = credential();
  if (asked.kind === 'none') return;
  try {
    const found = asked.kind === 'admin' ? await testAdminToken().then(() => admin()) : await keySession();
    if (credential() !== asked) return;
    validatedAt = Date.now();
    show(found);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (credential() !== asked) return;
    if (error.status === 403) {
      setCredential({ kind: 'none' });
      show(none);
      return;
    }
    show({ ...current, checking: false });
  }
}

async function keySession(): Promise<Session> {
  return remember(await testKey());
}

/** remember keeps a key's rights for the next start and makes the session from them. */
function remember(answer: KeyCheck): Session {
  const bits = bitsOf(answer.permissions);
  if (bits === undefined) throw new ApiError('', { code: 'no_permissions' });
  writeStored(storageKeys.permissions, JSON.stringify(answer.permissions));
  writeStored(storageKeys.keyInfo, JSON.stringify(answer.key_info ?? {}));
  return make({
    kind: 'apikey',
    bits,
    name: answer.key_info?.name ?? '',
    basicPath: answer.key_info?.basic_path ?? '/',
    id: answer.key_info?.id ?? '',
  });
}

/** signInAdmin starts an admin session. Throws ApiError; code "no_token" when the answer has none. */
export async function signInAdmin(username: string, password: string): Promise<void> {
  const answer = await login(username, password);
  if (!answer?.token) throw new ApiError('', { code: 'no_token' });
  setCredential({ kind: 'admin', token: answer.token });
  validatedAt = Date.now();
  show(admin());
}

/**
 * signInKey starts a session with an API key. Throws ApiError; code "no_permissions" when the answer does not
 * say what the key may do, "no_rights" when it may do nothing.
 */
export async function signInKey(key: string): Promise<void> {
  const answer = await testKey(key);
  const bits = bitsOf(answer?.permissions);
  if (bits === undefined) throw new ApiError('', { code: 'no_permissions' });
  if (bits === 0) throw new ApiError('', { code: 'no_rights' });
  setCredential({ kind: 'apikey', key });
  validatedAt = Date.now();
  show(remember(answer));
}

/** signOut ends the session here and on the server, and forgets what this tab kept for it. */
export async function signOut(): Promise<void> {
  const ending = credential().kind === 'admin' ? logout() : undefined;
  setCredential({ kind: 'none' });
  try {
    sessionStorage.clear();
  } catch {
    // A blocked store holds nothing to forget.
  }
  show(none);
  // Without an answer the token runs out by itself; the user is signed out here in any case.
  await ending?.catch(() => undefined);
}

/** storedKey is the API key of the session, for the person who wants to see it again; "" without one. */
export const storedKey = (): string => readStored(storageKeys.apiKey);
