import { session } from '../../auth/session';

export const visitorAccount = 'visitor';

/** accountOf names who is signed in, without any secret. What this device keeps carries that name. */
export function accountOf({ kind, id } = session()): string {
  if (kind === 'none') return visitorAccount;
  return kind === 'admin' ? 'admin' : `key:${id}`;
}
