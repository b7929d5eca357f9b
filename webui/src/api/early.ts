/** Early is what the page asked for before the scripts were there, see index.html. */
interface Early {
  url: string;
  stop: AbortController;
  answer: Promise<Response>;
}

declare global {
  interface Window {
    pasteportEarly?: Early | undefined;
  }
}

/** takeEarly gives the request for the address that is already on its way, once. */
export function takeEarly(url: string, { method, headers }: RequestInit): Early | undefined {
  const early = window.pasteportEarly;
  if (early?.url !== url || method !== 'GET' || new Headers(headers).has('Authorization')) return undefined;
  window.pasteportEarly = undefined;
  return early;
}
