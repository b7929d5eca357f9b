import { authEvents } from '../../api/credentials';

// A password that was right is remembered by this page alone, until it is loaded anew or left: whoever opens the tab
// later, or reads what the browser has stored, finds none. It never stands in an address.
const memory = new Map<string, string>();
addEventListener(authEvents.signedOut, () => memory.clear());

/** keepPassword remembers a password as long as the page lives; an empty one forgets it. */
export function keepPassword(name: string, password: string) {
  if (password) memory.set(name, password);
  else memory.delete(name);
}

/**
 * givenPassword is the password of `?password=`, which leaves the address bar
 * by this, or the one the page remembers; "" without either.
 */
export function givenPassword(name: string): string {
  const address = new URL(location.href);
  const given = address.searchParams.get('password');
  if (given !== null) {
    address.searchParams.delete('password');
    history.replaceState(history.state, '', address);
    if (given) memory.set(name, given);
  }
  return given || (memory.get(name) ?? '');
}
