import { login, logout, testAdminToken, testKey } from '../api/auth';
import { authEvents, credential, loseCredential, setCredential, storageKeys } from '../api/credentials';
import { ApiError } from '../api/errors';
import { offline } from '../api/offline';
import type { KeyCheck } from '../api/types';
import { draftTexts, ownPrefix, writeStored } from '../config';
import { bitsOf } from './permissions';
import { adminSession, keySession, noteValidated, session, show, visitor, type Session } from './session';

/**
 * signInAdmin starts an admin session. Throws ApiError; code "no_token" when the answer has none, "totp_required"
 * when a code of the second step is needed.
 */
export async function signInAdmin(username: string, password: string, totp?: string): Promise<void> {
  const answer = await login(username, password, totp);
  if (!answer?.token) throw new ApiError('', { code: 'no_token' });
  setCredential({ kind: 'admin', token: answer.token });
  noteValidated();
  show(adminSession());
}

/**
 * signInKey starts a session with an API key. Throws ApiError; code "no_permissions" when the answer does not
 * say what the key may do, "no_rights" when it may do nothing.
 */
export async function signInKey(key: string): Promise<void> {
  const answer = await testKey(key);
  const found = sessionOf(answer);
  if (found.bits === 0) throw new ApiError('', { code: 'no_rights' });
  setCredential({ kind: 'apikey', key });
  remember(answer);
  noteValidated();
  show(found);
}

/** signOut ends the session here and on the server, and forgets what this device kept for it. */
export async function signOut(): Promise<void> {
  // Where the part of the app for offline use was never loaded, nothing waits.
  await offline()
    .settleQueue()
    .then(
      (settleQueue) => settleQueue(),
      () => undefined,
    );
  const ending = credential().kind === 'admin' ? logout() : undefined;
  setCredential({ kind: 'none' });
  forgetOwn();
  dispatchEvent(new CustomEvent(authEvents.signedOut));
  show(visitor);
  // Without an answer the token runs out by itself; the user is signed out here in any case.
  await ending?.catch(() => undefined);
}

/** check asks the server about the credential in use and takes over what it says. */
export async function check(): Promise<void> {
  const asked = credential();
  if (asked.kind === 'none') return;
  try {
    const found = asked.kind === 'admin' ? await checkAdmin() : await checkKey();
    // Whoever signed in or out meanwhile knows better.
    if (credential() !== asked) return;
    noteValidated();
    show(found);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (credential() !== asked) return;
    if (error.status === 403) {
      loseCredential(asked);
      return;
    }
    show({ ...session(), checking: false });
  }
}

async function checkAdmin(): Promise<Session> {
  await testAdminToken();
  return adminSession();
}

async function checkKey(): Promise<Session> {
  const answer = await testKey();
  const found = sessionOf(answer);
  remember(answer);
  return found;
}

function sessionOf(answer: KeyCheck | undefined): Session {
  const bits = bitsOf(answer?.permissions);
  if (bits === undefined) throw new ApiError('', { code: 'no_permissions' });
  const info = answer?.key_info;
  return keySession({ bits, name: info?.name, basicPath: info?.basic_path, id: info?.id });
}

/** remember keeps a key's rights for the next start. */
function remember(answer: KeyCheck): void {
  writeStored(storageKeys.permissions, JSON.stringify(answer.permissions));
  writeStored(storageKeys.keyInfo, JSON.stringify(answer.key_info ?? {}));
}

/** forgetOwn removes everything that a person wrote on this device. */
function forgetOwn(): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(ownPrefix)) localStorage.removeItem(key);
    }
    sessionStorage.clear();
    indexedDB.deleteDatabase(draftTexts);
  } catch {
    // A blocked store holds nothing to forget.
  }
}
