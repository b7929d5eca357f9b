import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api, apiUrl, newIdempotencyKey, onAnswer, patience, type ApiError } from './client';
import { authEvents, credential, setCredential } from './credentials';
import { fillOffline, offline } from './offline';

interface Reply {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const sent: { url: string; init: RequestInit }[] = [];

function answer({ status = 200, body, headers = {} }: Reply) {
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return Promise.resolve(new Response(body === undefined ? '' : JSON.stringify(body), { status, headers }));
  });
}

const headersOf = (at = 0) => (sent[at]?.init.headers ?? {}) as Record<string, string>;
const failing = (status: number, more: object = {}) => ({
  status,
  body: { code: status, message: 'text', success: false, data: null, ...more },
});
const caught = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as ApiError,
  );

/** Runs a call and tells which of the two events it fired. */
async function eventsOf(call: () => Promise<unknown>): Promise<string[]> {
  const fired: string[] = [];
  const note = (event: Event) => fired.push(event.type);
  addEventListener(authEvents.adminExpired, note);
  addEventListener(authEvents.keyInvalid, note);
  await call().catch(() => undefined);
  removeEventListener(authEvents.adminExpired, note);
  removeEventListener(authEvents.keyInvalid, note);
  return fired;
}

beforeEach(() => {
  sent.length = 0;
  setCredential({ kind: 'none' });
});

afterEach(() => vi.unstubAllGlobals());

describe('copies on this device', () => {
  const nothing = offline();
  afterEach(() => {
    vi.useRealTimers();
    fillOffline(nothing);
    onAnswer(() => undefined);
  });

  it('stand in for a share that takes too long, where there is one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    fillOffline({
      ...nothing,
      standBy: () =>
        Promise.resolve((path) =>
          Promise.resolve(
            path === '/paste/known' ? { body: { slug: 'known' }, etag: '', takenAt: 7 } : undefined,
          ),
        ),
    });
    const answers: ((response: Response) => void)[] = [];
    vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => answers.push(resolve)));
    const onCopy = vi.fn();
    const known = api.get('/paste/known', { onCopy });
    const unknown = api.get('/paste/unknown');
    const list = api.get('/fs/list');
    vi.advanceTimersByTime(patience);
    expect(await known).toEqual({ slug: 'known' });
    expect(onCopy).toHaveBeenCalledWith(new Date(7));
    for (const resolve of answers) resolve(new Response('{"late":true}'));
    expect(await unknown).toEqual({ late: true });
    expect(await list).toEqual({ late: true });
  });

  it('are made of what was read before the part that keeps them was there, not of what somebody else read', async () => {
    vi.resetModules();
    const { api: fresh, onAnswer: from } = await import('./client');
    const { setCredential: become } = await import('./credentials');
    answer({ body: { a: 1 } });
    become({ kind: 'admin', token: 'T' });
    await fresh.get('/paste/of-the-admin');
    become({ kind: 'none' });
    await fresh.get('/paste/mine');
    const kept: string[] = [];
    from((path) => kept.push(path));
    expect(kept).toEqual(['/paste/mine']);
  });

  it.each([401, 403, 404, 410])('go when the server says %i, and stay when it only fails', async (status) => {
    const kept: [string, unknown][] = [];
    onAnswer((path, { body }) => kept.push([path, body]));
    answer({ status: 500, body: { code: 500, message: 'x' } });
    await caught(api.get('/paste/a'));
    // A gateway may refuse, too; it knows nothing of the share.
    answer({ status, body: 'Log in to the network' });
    await caught(api.get('/paste/a'));
    expect(kept).toEqual([]);
    answer({ status, body: { code: status, message: 'x' } });
    await caught(api.get('/paste/a'));
    expect(kept).toEqual([['/paste/a', undefined]]);
  });

  it('are not made of an answer to a credential that has ended meanwhile', async () => {
    const kept: string[] = [];
    onAnswer((path) => kept.push(path));
    let resolve: (response: Response) => void = () => undefined;
    vi.stubGlobal('fetch', () => new Promise<Response>((go) => (resolve = go)));
    setCredential({ kind: 'admin', token: 'T' });
    const reading = api.get('/fs/list');
    setCredential({ kind: 'none' });
    resolve(new Response('{}'));
    await reading;
    expect(kept).toEqual([]);
  });
});

describe('requests', () => {
  it('stand under /api and leave undefined parameters out', () => {
    expect(apiUrl('/files', { limit: 3, offset: undefined, search: 'a b' })).toBe(
      '/api/files?limit=3&search=a+b',
    );
  });

  it.each([
    [{ kind: 'admin', token: 'T' } as const, 'Bearer T'],
    [{ kind: 'apikey', key: 'K' } as const, 'ApiKey K'],
    [{ kind: 'none' } as const, undefined],
  ])('say who asks: %o', async (who, want) => {
    answer({ body: { code: 200 } });
    setCredential(who);
    await api.get('/x');
    expect(headersOf().Authorization).toBe(want);
    expect(headersOf()['Accept-Language']).toBe('en-US');
  });

  it('carry an idempotency key and JSON', async () => {
    answer({ body: { slug: 's' } });
    await api.post('/paste', { content: 'x' }, { idempotencyKey: 'k-1' });
    expect(headersOf()['Idempotency-Key']).toBe('k-1');
    expect(sent[0]?.init.body).toBe('{"content":"x"}');
  });
});

describe('what the page asked for early', () => {
  const early = (url: string, body: object) => {
    const stop = new AbortController();
    const answer = Promise.resolve(new Response(JSON.stringify(body), { headers: { ETag: '"early"' } }));
    window.pasteportEarly = { url, stop, answer };
    return stop;
  };

  afterEach(() => (window.pasteportEarly = undefined));

  it('is taken once', async () => {
    answer({ body: { from: 'later' } });
    early('/api/paste/a', { from: 'early' });
    let tag = '';
    expect(await api.get('/paste/a', { onTag: (etag) => (tag = etag) })).toEqual({ from: 'early' });
    expect(tag).toBe('"early"');
    expect(await api.get('/paste/a')).toEqual({ from: 'later' });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['another share', () => api.get('/paste/b')],
    ['a peek', () => api.get('/paste/a', { query: { peek: 1 } })],
    ['a password', () => api.post('/paste/a', { password: 'x' })],
  ])('is left for what it answers: %s', async (_, call) => {
    answer({ body: { from: 'later' } });
    early('/api/paste/a', { from: 'early' });
    expect(await call()).toEqual({ from: 'later' });
  });

  it('is no answer to somebody who has signed in', async () => {
    answer({ body: { from: 'later' } });
    early('/api/paste/a', { from: 'early' });
    setCredential({ kind: 'admin', token: 'T' });
    expect(await api.get('/paste/a')).toEqual({ from: 'later' });
  });

  it('is given up with its screen', async () => {
    const stop = early('/api/paste/a', {});
    const leave = new AbortController();
    leave.abort();
    await caught(api.get('/paste/a', { signal: leave.signal }));
    expect(stop.signal.aborted).toBe(true);
  });
});

describe('answers', () => {
  it('are opened when they come in the envelope', async () => {
    answer({ body: { code: 200, message: 'ok', success: true, data: { a: 1 } } });
    expect(await api.get('/x')).toEqual({ a: 1 });
  });

  it('come as they are when they are bare', async () => {
    answer({ body: { slug: 's', content: 'c' } });
    expect(await api.get('/x')).toEqual({ slug: 's', content: 'c' });
  });

  it('keep the paging of lists', async () => {
    const body = { code: 200, data: [1], pagination: { total: 1 } };
    answer({ body });
    expect(await api.whole('/pastes')).toEqual(body);
  });

  it.each([200, 201, 202])('are accepted with code %i', async (code) => {
    answer({ body: { code, data: 'd' } });
    expect(await api.get('/x')).toBe('d');
  });

  it('are refused with another code, also when HTTP says 200', async () => {
    answer({ status: 200, body: { code: 500, message: 'broken', success: false } });
    const error = await caught(api.get('/x'));
    expect(error).toMatchObject({ status: 500, message: 'broken' });
  });

  it('that failed carry code, request id and waiting time', async () => {
    answer({
      status: 429,
      body: { code: 429, message: 'slow', error: 'rate_limited', request_id: 'r-9' },
      headers: { 'Retry-After': '12' },
    });
    expect(await caught(api.get('/x'))).toMatchObject({
      status: 429,
      code: 'rate_limited',
      requestId: 'r-9',
      retryAfter: 12,
    });
  });

  it('that are not JSON still fail with their status', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('<html>', { status: 502 })));
    expect(await caught(api.get('/x'))).toMatchObject({ status: 502, code: '', message: '' });
  });

  it.each(['<html>Log in to the network</html>', '{"code":200,"da', ''])(
    'that are not the server’s are no success, and take no copy along: %s',
    async (text) => {
      const kept = vi.fn();
      onAnswer(kept);
      vi.stubGlobal('fetch', () => Promise.resolve(new Response(text, { status: 200 })));
      expect(await caught(api.get('/x'))).toMatchObject({ failure: 'network', status: 0 });
      expect(await caught(api.post('/paste', { content: 'x' }))).toMatchObject({ failure: 'network' });
      expect(kept).not.toHaveBeenCalled();
      onAnswer(() => undefined);
    },
  );
});

describe('an answer that says it has no body', () => {
  it('is a success, of which no copy is made', async () => {
    const kept = vi.fn();
    onAnswer(kept);
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 204 })));
    expect(await api.get('/x')).toBeUndefined();
    expect(await api.del('/x')).toBeUndefined();
    expect(kept).not.toHaveBeenCalled();
    onAnswer(() => undefined);
  });
});

describe('calls without an answer', () => {
  const hanging = (_: string, init: RequestInit) =>
    new Promise<Response>((_done, fail) => {
      init.signal?.addEventListener('abort', () => fail(new DOMException('x', 'AbortError')));
      if (init.signal?.aborted) fail(new DOMException('x', 'AbortError'));
    });

  it('end after their time limit', async () => {
    vi.stubGlobal('fetch', hanging);
    expect(await caught(api.get('/x', { timeout: 5 }))).toMatchObject({ failure: 'timeout', status: 0 });
  });

  it('end when their screen goes', async () => {
    vi.stubGlobal('fetch', hanging);
    const abort = new AbortController();
    const call = caught(api.get('/x', { signal: abort.signal }));
    abort.abort();
    expect(await call).toMatchObject({ failure: 'aborted' });
  });

  it('end at once when their screen has gone already', async () => {
    vi.stubGlobal('fetch', hanging);
    expect(await caught(api.get('/x', { signal: AbortSignal.abort() }))).toMatchObject({
      failure: 'aborted',
    });
  });

  it('say that the network is down', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    expect(await caught(api.get('/x'))).toMatchObject({ failure: 'network' });
  });
});

describe('a 401 (spec §8)', () => {
  const admin = { kind: 'admin', token: 'T' } as const;
  const key = { kind: 'apikey', key: 'K' } as const;

  it('ends an admin session', async () => {
    answer(failing(401, { error: 'unauthenticated' }));
    setCredential(admin);
    expect(await eventsOf(() => api.get('/pastes'))).toEqual([authEvents.adminExpired]);
    expect(credential()).toEqual({ kind: 'none' });
    expect(localStorage.getItem('admin_token')).toBeNull();
  });

  it('ends the session of an API key', async () => {
    answer(failing(401, { error: 'unauthenticated' }));
    setCredential(key);
    expect(await eventsOf(() => api.get('/pastes'))).toEqual([authEvents.keyInvalid]);
    expect(localStorage.getItem('api_key')).toBeNull();
  });

  it.each([
    ['a paste password', () => api.post('/paste/s', { password: 'x' })],
    ['a file password', () => api.post('/public/files/s/verify', { password: 'x' })],
    ['a sign-in', () => api.post('/admin/login', {})],
    ['the office preview of a protected file', () => api.get('/office-preview/s')],
  ])('on %s signs nobody out', async (_, call) => {
    answer(failing(401, { error: 'password_wrong' }));
    setCredential(admin);
    expect(await eventsOf(call)).toEqual([]);
    expect(credential()).toEqual(admin);
  });

  it('on change-password keeps the session when the password was wrong', async () => {
    answer(failing(401, { error: 'password_wrong' }));
    setCredential(admin);
    expect(await eventsOf(() => api.post('/admin/change-password', {}))).toEqual([]);
  });

  it.each([
    ['/files/1', '未授权访问此文件'],
    ['/upload', '无权访问'],
    ['/files', 'text', 'permission_denied'],
  ])('with an access-denied message on %s keeps the key', async (path, message, error = '') => {
    answer(failing(401, { message, error }));
    setCredential(key);
    expect(await eventsOf(() => api.get(path))).toEqual([]);
    expect(credential()).toEqual(key);
  });

  it('without such a message on a file path ends the key', async () => {
    answer(failing(401));
    setCredential(key);
    expect(await eventsOf(() => api.get('/files'))).toEqual([authEvents.keyInvalid]);
  });

  it('to a key that is only being checked does not touch the session', async () => {
    answer(failing(401));
    setCredential(admin);
    expect(await eventsOf(() => api.get('/test/api-key', { as: { kind: 'apikey', key: 'other' } }))).toEqual(
      [],
    );
    expect(headersOf().Authorization).toBe('ApiKey other');
  });

  it('to a credential that has been replaced meanwhile does not end the new one', async () => {
    setCredential(admin);
    vi.stubGlobal('fetch', () => {
      setCredential({ kind: 'admin', token: 'new' });
      return Promise.resolve(new Response(JSON.stringify(failing(401).body), { status: 401 }));
    });
    expect(await eventsOf(() => api.get('/pastes'))).toEqual([]);
    expect(credential()).toEqual({ kind: 'admin', token: 'new' });
  });
});

describe('newIdempotencyKey', () => {
  it('is a UUID of version 4 without a secure context', () => {
    expect(newIdempotencyKey()).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(newIdempotencyKey()).not.toBe(newIdempotencyKey());
  });
});
