/** faviconGood says whether a text may be the address of the site's icon: empty, http, https or an image inside. */
export function faviconGood(given: unknown): boolean {
  const url = String(given ?? '').trim();
  if (url === '' || /^data:image\//i.test(url)) return true;
  try {
    const { protocol, hostname } = new URL(url);
    return /^https?:$/.test(protocol) && hostname !== '';
  } catch {
    return false;
  }
}
