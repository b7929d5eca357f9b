/** What one request of the WebDAV self-test found; status 0 is no answer. */
export interface Probe {
  method: string;
  status: number;
  ok: boolean;
  /** advice is the last part of the message key that says what to do; "" when it works. */
  advice: '' | 'auth' | 'method' | 'write' | 'network';
}

const good: Record<string, readonly number[]> = {
  OPTIONS: [200, 204],
  PROPFIND: [207],
  PUT: [200, 201, 204],
  GET: [200, 206],
  DELETE: [200, 204],
};

/** adviceFor says what an answer means that is not the expected one. */
export function adviceFor(method: string, status: number): Probe['advice'] {
  if (good[method]?.includes(status)) return '';
  if (status === 0) return 'network';
  if (status === 401) return 'auth';
  if (method !== 'OPTIONS' && [403, 404, 409, 423, 507].includes(status)) return 'write';
  return 'method';
}

interface Target {
  /** url of the folder, without a slash at the end. */
  url: string;
  name: string;
  password: string;
}

const basic = (name: string, password: string) => {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
};

/** selfTest does what WebDAV clients do: it looks, writes a small file, reads it and deletes it again. */
export async function selfTest({ url, name, password }: Target, note: (probe: Probe) => void): Promise<void> {
  const file = `${url}/pasteport-self-test-${Date.now().toString(36)}.txt`;
  const steps: [method: string, to: string, init: RequestInit][] = [
    ['OPTIONS', `${url}/`, {}],
    ['PROPFIND', `${url}/`, { headers: { Depth: '0' } }],
    ['PUT', file, { body: 'self-test', headers: { 'Content-Type': 'text/plain' } }],
    ['GET', file, {}],
    ['DELETE', file, {}],
  ];
  let written = true;
  for (const [method, to, init] of steps) {
    // What was not written can be neither read nor deleted.
    if (!written && (method === 'GET' || method === 'DELETE')) continue;
    let status = 0;
    try {
      const answer = await fetch(to, {
        ...init,
        method,
        headers: { ...init.headers, Authorization: basic(name, password) },
        cache: 'no-store',
        credentials: 'omit',
      });
      status = answer.status;
      await answer.arrayBuffer();
    } catch {
      // A redirect to a storage of another origin cannot be followed here, and counts as no answer.
    }
    const advice = adviceFor(method, status);
    if (method === 'PUT' && advice !== '') written = false;
    note({ method, status, ok: advice === '', advice });
  }
}
