import { authEvents, credential, reloadCredential, storageKeys } from '../api/credentials';
import { readStoredJson } from '../config';
import { linked, pages, type Guard, type Page } from '../pages';
import { makeStore, useStore } from '../store';
import { allBits, bitsOf, mountBits, permissions } from './permissions';

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
  /** refused is true where the server has just refused the key in use. */
  refused: boolean;
  /** can says whether one of the given bits is set. */
  can(bit: number): boolean;
  /** owns says whether the session may manage a share, by its created_by (§6). */
  owns(createdBy: string): boolean;
}

let validatedAt = 0;

interface Facts {
  kind: Session['kind'];
  bits?: number;
  name?: string | undefined;
  basicPath?: string | undefined;
  id?: string | undefined;
  checking?: boolean;
  refused?: boolean;
}

function make(facts: Facts): Session {
  const { kind, bits = 0, name = '', basicPath = '/', id = '', checking = false, refused = false } = facts;
  return {
    kind,
    bits,
    name,
    basicPath,
    id,
    checking,
    refused,
    can: (bit) => (bits & bit) !== 0,
    owns: (createdBy) =>
      kind === 'admin' ||
      (kind === 'apikey' && id !== '' && (createdBy === id || createdBy === `apikey:${id}`)),
  };
}

export const visitor = make({ kind: 'none' });
/** refusedVisitor had a key until a moment ago. */
export const refusedVisitor = make({ kind: 'none', refused: true });
export const adminSession = (checking = false) => make({ kind: 'admin', bits: allBits, checking });

/** keySession is a session with an API key. */
export const keySession = (facts: Omit<Facts, 'kind'>) => make({ kind: 'apikey', ...facts });

/** mayEnter says whether a session may enter the panel at all: a key needs something that it lists (§5). */
export const mayEnter = (session: Session): boolean =>
  session.kind === 'admin' || session.can(permissions.TEXT | permissions.FILE_SHARE);

const guards: Record<Guard, (now: Session) => boolean> = {
  upload: (now) => now.can(permissions.FILE_SHARE),
  mount: (now) => now.can(mountBits),
  admin: mayEnter,
};

/** isOpen says whether a session may use a page. */
export const isOpen = ({ guard }: Page, now: Session): boolean => !guard || guards[guard](now);

/** linksFor are the pages that lead on from everywhere. Who is signed in and has nothing in the panel is not led there. */
export const linksFor = (now: Session) =>
  linked.filter((page) => page !== pages.admin || now.kind === 'none' || isOpen(page, now));

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

/** restore makes the session of local storage the present one, after another tab has signed in or out. */
export function restore(): void {
  reloadCredential();
  show(restored());
  validatedAt = 0;
}

/** sinceValidated is how many milliseconds ago the server has confirmed the credential. */
export const sinceValidated = (): number => Date.now() - validatedAt;

/** noteValidated says that the server has just confirmed the credential. */
export function noteValidated(): void {
  validatedAt = Date.now();
}
