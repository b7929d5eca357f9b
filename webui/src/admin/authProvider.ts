import type { AuthProvider } from 'react-admin';
import { session } from '../auth/session';
import { signOut } from '../auth/signIn';
import { mayUse } from './access';
import { pages } from './pages';

/**
 * authProvider tells react-admin what the shared session knows; there is no second sign-in. A credential that the
 * server refuses is dropped by the API client, and the sign-in then takes the panel's place.
 */
export const authProvider: AuthProvider = {
  login: () => Promise.reject(new Error('the sign-in stands outside of the panel')),
  logout: () => signOut().then(() => undefined),
  checkAuth: () => (session().kind === 'none' ? Promise.reject(new Error('signed out')) : Promise.resolve()),
  checkError: () => Promise.resolve(),
  getIdentity: () => Promise.resolve({ id: session().id || 'admin', fullName: session().name }),
  getPermissions: () => Promise.resolve({ admin: session().kind === 'admin', bits: session().bits }),
  canAccess: ({ resource }) =>
    Promise.resolve(pages.some((page) => page.path === resource && mayUse(session(), page.needs))),
};
