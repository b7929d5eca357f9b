import { authEvents, credential, reloadCredential, storageKeys } from '../api/credentials';
import { readStoredJson } from '../config';
import { makeStore, useStore } from '../store';
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

let validatedAt = 0;
let validating: Promise<void> | undefined;

interface Facts {
  kind: Session['kind'];
  bits?: number;
  name?: string | undefined;
  basicPath?: string | undefined;
  id?: string | undefined;
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

export const visitor = make({ kind: 'none' });
export const adminSession = (checking = false) => make({ kind: 'admin', bits: allBits, checking });

/** keySession is a session with an API key. */
export const keySession = (facts: Omit<Facts, 'kind'>) => make({ kind: 'apikey', ...facts });

/** restored is the session as local storage remembers it, not yet validated. */
function restored(): Session {
  const kept = credential();
  if (kept.kind === 'none') return visitor;
  if (kept.kind === 'admin') return adminSession(true);
  const info = readStoredJson(storageKeys.keyInfo, isRecord) ?? {};
  const text = (name: string) => (typeof info[name] === 'string' ? info[name] : undefined);
  return keySession({
    bits: bitsOf(readStoredJson(storageKeys.permissions, isPermissions)) ?? 0,
    name: text('name'),
    basicPath: text('basic_path'),
    id: text('id'),
    checking: true,
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isPermissions = (value: unknown): value is number | object =>
  typeof value === 'number' || isRecord(value);

const state = makeStore<Session>(restored());

/** show makes a session the present one and tells everybody. */
export function show(next: Session): void {
  state.set(next);
  dispatchEvent(new CustomEvent(authEvents.changed));
}

/** session is who is signed in now; components use useSession. */
export const session = state.get;

export const useSession = (): Session => useStore(state);

/** startSession validates what was restored, and follows lost credentials, other tabs and returning to the tab. */
export function startSession(): void {
  const lost = () => show(visitor);
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
  if (session().kind !== 'none' && Date.now() - validatedAt > validFor) await validate();
}

/**
 * validate asks the server whether the credential still holds. Without an answer (network down, server error)
 * the session stays: only a refusal ends it. Visitors have nothing to validate and do not load what does it.
 */
export function validate(): Promise<void> {
  if (session().kind === 'none') return Promise.resolve();
  // eslint-disable-next-line pasteport/circles -- the one circle that is left: check needs the session it renews
  validating ??= import('./signIn')
    .then(({ check }) => check())
    .catch(() => show({ ...session(), checking: false }))
    .finally(() => (validating = undefined));
  return validating;
}

/** noteValidated says that the server has just confirmed the credential. */
export function noteValidated(): void {
  validatedAt = Date.now();
}
