import { authEvents } from '../../auth/credentials';
import { session } from '../../auth/session';

export const visitorAccount = 'visitor';

/** accountOf names who is signed in, without any secret. What this device keeps carries that name. */
export function accountOf({ kind, id } = session()): string {
  if (kind === 'none') return visitorAccount;
  return kind === 'admin' ? 'admin' : `key:${id}`;
}

/** onOtherAccount calls `run` when somebody else is signed in than before; a session that was checked anew is no change. */
export function onOtherAccount(run: () => void): void {
  let known = accountOf();
  addEventListener(authEvents.changed, () => {
    const now = accountOf();
    if (now === known) return;
    known = now;
    run();
  });
}
