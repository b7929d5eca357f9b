import { readStored, writeStored } from '../config';

/** The credential in use: an admin token or an API key, never both. */
export type Credential =
  { kind: 'none' } | { kind: 'admin'; token: string } | { kind: 'apikey'; key: string };

/** Names in local storage, fixed by §6. */
export const storageKeys = {
  adminToken: 'admin_token',
  apiKey: 'api_key',
  permissions: 'api_key_permissions',
  keyInfo: 'api_key_info',
} as const;

/** Names of the window events, fixed by §4. */
export const authEvents = {
  adminExpired: 'admin-token-expired',
  keyInvalid: 'api-key-invalid',
  changed: 'auth-state-changed',
  /** signedOut is our own: somebody has signed out on purpose. */
  signedOut: 'pp-signed-out',
} as const;

// Kept in memory as well: where local storage is blocked a session lives as long as the page.
let current: Credential = restore();

function restore(): Credential {
  const token = readStored(storageKeys.adminToken);
  if (token) return { kind: 'admin', token };
  const key = readStored(storageKeys.apiKey);
  return key ? { kind: 'apikey', key } : { kind: 'none' };
}

/** credential is what calls are signed with now. */
export const credential = (): Credential => current;

/** reloadCredential reads local storage again, after another tab has signed in or out. */
export function reloadCredential(): Credential {
  current = restore();
  return current;
}

/** setCredential replaces what is stored. The caller fires auth-state-changed when its own state is right. */
export function setCredential(next: Credential): void {
  current = next;
  writeStored(storageKeys.adminToken, next.kind === 'admin' ? next.token : '');
  writeStored(storageKeys.apiKey, next.kind === 'apikey' ? next.key : '');
  if (next.kind !== 'apikey') {
    writeStored(storageKeys.permissions, '');
    writeStored(storageKeys.keyInfo, '');
  }
}

/** authorization is the value of the Authorization header (§6); "" for a visitor. */
export function authorization(of: Credential = current): string {
  if (of.kind === 'admin') return `Bearer ${of.token}`;
  return of.kind === 'apikey' ? `ApiKey ${of.key}` : '';
}

/** loseCredential drops a credential that the server has refused and tells the app about it (§4). */
export function loseCredential(lost: Credential): void {
  // A slow answer to an older credential must not end the session that has replaced it.
  if (lost.kind === 'none' || authorization(lost) !== authorization()) return;
  setCredential({ kind: 'none' });
  dispatchEvent(new CustomEvent(lost.kind === 'admin' ? authEvents.adminExpired : authEvents.keyInvalid));
}
