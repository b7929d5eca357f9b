// A password that was right is remembered by this tab alone, and never stands
// in an address.
const key = (name: string) => `pp.password.${name}`;
const memory = new Map<string, string>();

/** keepPassword remembers a password for this tab; an empty one forgets it. */
export function keepPassword(name: string, password: string) {
  if (password) memory.set(name, password);
  else memory.delete(name);
  try {
    if (password) sessionStorage.setItem(key(name), password);
    else sessionStorage.removeItem(key(name));
  } catch {
    // A blocked store leaves the memory of this page.
  }
}

/**
 * givenPassword is the password of `?password=`, which leaves the address bar
 * by this, or the one the tab remembers; "" without either.
 */
export function givenPassword(name: string): string {
  const address = new URL(location.href);
  const given = address.searchParams.get('password');
  if (given !== null) {
    address.searchParams.delete('password');
    history.replaceState(history.state, '', address);
    if (given) memory.set(name, given);
  }
  return given || memory.get(name) || stored(name);
}

function stored(name: string): string {
  try {
    return sessionStorage.getItem(key(name)) ?? '';
  } catch {
    return '';
  }
}
