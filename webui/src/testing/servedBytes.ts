import { vi } from 'vitest';

/** served answers requests with ranges of some bytes, for a test, and counts what it sends. */
export function served(content: Uint8Array<ArrayBuffer>) {
  let sent = 0;
  vi.stubGlobal('fetch', (_: string, init?: RequestInit) => {
    const range = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get('Range') ?? '');
    const part = range ? content.slice(Number(range[1]), Number(range[2]) + 1) : content;
    sent += part.length;
    return Promise.resolve(new Response(part, { status: range ? 206 : 200 }));
  });
  return { bytes: () => sent };
}
