import { permissions } from '../auth/permissions';
import type { Session } from '../auth/session';

/** Who may use a page: the administrator only, or also keys with any of these bits. */
export type Needs = 'admin' | number;

/** Any of these lets a key into the panel (§5). */
export const panelBits = permissions.TEXT | permissions.FILE_SHARE;

/** mayEnter says whether a session may enter the panel at all. */
export const mayEnter = (session: Session): boolean => session.kind === 'admin' || session.can(panelBits);

/** mayUse says whether a session may use something that needs the given rights. */
export const mayUse = (session: Session, needs: Needs): boolean =>
  session.kind === 'admin' || (needs !== 'admin' && session.can(needs));
