import { authEvents, authorization } from '../api/credentials';

/**
 * onOtherAccount calls when somebody else has signed in or somebody has signed
 * out: what one account may see is nothing for the next. A session that was
 * only confirmed is the same account, whose work goes on.
 */
export function onOtherAccount(forget: () => void): void {
  let whose = authorization();
  addEventListener(authEvents.changed, () => {
    if (authorization() === whose) return;
    whose = authorization();
    forget();
  });
}
