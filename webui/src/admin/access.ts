import type { Session } from '../auth/session';

/** Who may use a page: the administrator only, or also keys with any of these bits. */
export type Needs = 'admin' | number;

/** mayUse says whether a session may use something that needs the given rights. */
export const mayUse = (session: Session, needs: Needs = 'admin'): boolean =>
  session.kind === 'admin' || (needs !== 'admin' && session.can(needs));
