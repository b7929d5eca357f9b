// The frame's own policy: nothing is fetched, so that nothing can be reported.
const policy = (scripts: boolean) =>
  `default-src 'none'; img-src data:; media-src data:; font-src data:; style-src 'unsafe-inline'` +
  (scripts ? `; script-src 'unsafe-inline'` : '');

/**
 * framedHtml is somebody's HTML as the document of a sandboxed frame. It gets
 * a policy of its own; and since such a frame also obeys the page's policy,
 * its styles, and its scripts when they may run, carry the page's nonce.
 */
export function framedHtml(source: string, scripts: boolean, nonce: string): string {
  const html = new DOMParser().parseFromString(source, 'text/html');
  for (const element of html.querySelectorAll('meta[http-equiv], base')) element.remove();
  for (const element of html.querySelectorAll(scripts ? 'style, script' : 'style')) {
    element.setAttribute('nonce', nonce);
  }
  const rules = html.createElement('meta');
  rules.setAttribute('http-equiv', 'Content-Security-Policy');
  rules.setAttribute('content', policy(scripts));
  const referrer = html.createElement('meta');
  referrer.setAttribute('name', 'referrer');
  referrer.setAttribute('content', 'no-referrer');
  html.head.prepend(rules, referrer);
  return `<!doctype html>${html.documentElement.outerHTML}`;
}
