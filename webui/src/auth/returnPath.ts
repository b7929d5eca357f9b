/** signInPath is the sign-in page with the way back. */
export function signInPath(returnTo: string): string {
  return returnTo === '/' ? '/admin?to=/' : `/admin?to=${encodeURIComponent(returnTo)}`;
}

/** returnPath reads the way back out of a sign-in address; only paths of this app count. */
export function returnPath(search: string): string | undefined {
  const to = new URLSearchParams(search).get('to') ?? '';
  return /^\/(?![/\\])/.test(to) && !/^\/admin(\/|$|\?)/.test(to) ? to : undefined;
}
