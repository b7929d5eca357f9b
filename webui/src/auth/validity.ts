import { authEvents, storageKeys } from '../api/credentials';
import { refusedVisitor, restore, session, show, sinceValidated, visitor } from './session';

/** Age in milliseconds after which a session is validated again before it is relied on (§9). */
export const validFor = 5 * 60_000;

let validating: Promise<void> | undefined;

/** startSession validates what was restored, and follows lost credentials, other tabs and returning to the tab. */
export function startSession(): void {
  addEventListener(authEvents.adminExpired, () => show(visitor));
  addEventListener(authEvents.keyInvalid, () => show(refusedVisitor));
  addEventListener('storage', (event) => {
    if (event.key !== null && event.key !== storageKeys.adminToken && event.key !== storageKeys.apiKey)
      return;
    restore();
    void validate();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void ensureFresh();
  });
  void validate();
}

/** ensureFresh validates the session again when the last time is longer ago than five minutes (§5). */
export async function ensureFresh(): Promise<void> {
  if (session().kind !== 'none' && sinceValidated() > validFor) await validate();
}

/**
 * validate asks the server whether the credential still holds. Without an answer (network down, server error)
 * the session stays: only a refusal ends it. Visitors have nothing to validate and do not load what does it.
 */
export function validate(): Promise<void> {
  if (session().kind === 'none') return Promise.resolve();
  validating ??= import('./signIn')
    .then(({ check }) => check())
    .catch(() => show({ ...session(), checking: false }))
    .finally(() => (validating = undefined));
  return validating;
}
