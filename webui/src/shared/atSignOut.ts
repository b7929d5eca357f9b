import { authEvents } from '../api/credentials';
import { session } from '../auth/session';

/** atSignOut has something forgotten when nobody is signed in any more: whose it was is nobody's business then. */
export function atSignOut(forget: () => void): void {
  addEventListener(authEvents.changed, () => {
    if (session().kind === 'none') forget();
  });
}
