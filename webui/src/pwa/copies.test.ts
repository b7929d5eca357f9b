import { describe, expect, test, vi } from 'vitest';
import { adminSession, show, visitor } from '../auth/session';
import { cleaned, keep, keptFor, recall, sharedFor, standBy, sweep, visitorKeptFor } from './copies';

const { rows } = vi.hoisted(() => ({ rows: new Map<string, { path: string }>() }));
vi.mock('../shared/offline/db', () => {
  const db = {
    get: (_store: string, key: string[]) => Promise.resolve(rows.get(key.join())),
    getAll: (store: string) => Promise.resolve(store === 'pastes' ? [...rows.values()] : []),
    put: (_store: string, row: { account: string; path: string }) =>
      Promise.resolve(rows.set([row.account, row.path].join(), row)),
    delete: (_store: string, key: string[]) => Promise.resolve(rows.delete(key.join())),
  };
  return { database: () => Promise.resolve(db) };
});

describe('a copy', () => {
  const open = { slug: 'a', content: 'x' };

  test.each([
    ['got a password', '/paste/a', { ...open, hasPassword: true }],
    ['got a password, as it is said before it is opened', '/paste/a?peek=1', { requires_password: true }],
    ['got a view limit', '/paste/a', { ...open, maxViews: 3 }],
    ['is gone', '/paste/a', undefined],
  ])('goes when its share %s', async (_name, path, answer) => {
    vi.stubGlobal('IDBKeyRange', { bound: () => undefined });
    await keep('/paste/a', open, '');
    expect((await recall('/paste/a'))?.body).toEqual(open);
    await keep(path, answer, '');
    expect(await recall('/paste/a')).toBeUndefined();
  });

  test('is not read for longer because the clock was put back', async () => {
    const now = vi.spyOn(Date, 'now');
    const at = Date.now();
    await keep('/paste/a', open, '');
    now.mockReturnValue(at - visitorKeptFor + 1000);
    expect((await recall('/paste/a'))?.body).toEqual(open);
    now.mockReturnValue(at - visitorKeptFor - 1000);
    expect(await recall('/paste/a')).toBeUndefined();
    now.mockRestore();
  });

  test('of an account goes at the next start when its session has ended unheard', async () => {
    await keep('/paste/a', open, '');
    show(adminSession());
    await keep('/paste/a', open, '');
    await sweep();
    expect((await recall('/paste/a'))?.body).toEqual(open);
    show(visitor);
    await sweep();
    expect([...rows.keys()]).toEqual(['visitor,/paste/a']);
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + keptFor + 1000);
    await sweep();
    now.mockRestore();
    expect(rows.size).toBe(0);
  });

  test.each([
    ['goes when the answer that it stands in for refuses it', 410, { code: 410 }, false],
    ['stays when the answer that it stands in for is a fault', 503, { code: 503 }, true],
    ['stays when something else answers in the server’s place', 403, undefined, true],
  ])('%s', async (_name, status, body, stays) => {
    await keep('/paste/a', open, '');
    let answer: (late: { status: number; body: unknown }) => void = () => undefined;
    const asked = new Promise<{ status: number; body: unknown }>((resolve) => (answer = resolve));
    expect((await standBy('/paste/a', asked))?.body).toEqual(open);
    expect((await recall('/paste/a'))?.body).toEqual(open);
    answer({ status, body });
    await asked;
    if (!stays) await vi.waitFor(() => expect(rows.size).toBe(0), 60_000);
    expect(Boolean(await recall('/paste/a'))).toBe(stays);
  });

  test('stays when its share is asked about before it is opened', async () => {
    await keep('/paste/a', open, '');
    await keep('/paste/a?peek=1', { requires_password: false }, '');
    expect((await recall('/paste/a?peek=1'))?.body).toEqual(open);
  });
});

test('what was shared is left to the page that is on its way to it, and goes when nobody has come', async () => {
  const held = new Map([Date.now(), Date.now() - sharedFor - 1000].map((at) => [String(at), at]));
  const cache = {
    keys: () => Promise.resolve([...held.keys()]),
    match: (key: string) =>
      Promise.resolve(new Response('', { headers: { 'X-Shared-At': String(held.get(key)) } })),
    delete: (key: string) => Promise.resolve(held.delete(key)),
  };
  const yes = () => Promise.resolve(true);
  vi.stubGlobal('caches', { has: yes, open: () => Promise.resolve(cache), delete: yes });
  const [fresh] = held.keys();
  await sweep();
  expect([...held.keys()]).toEqual([fresh]);
  vi.unstubAllGlobals();
});

test('copies go, too, where the browser refuses its caches', async () => {
  rows.clear();
  show(adminSession());
  await keep('/paste/a', { slug: 'a', content: 'x' }, '');
  show(visitor);
  expect(rows.size).toBe(1);
  const refused = () => Promise.reject(new DOMException('', 'SecurityError'));
  vi.stubGlobal('caches', { has: refused, delete: refused });
  await sweep();
  expect(rows.size).toBe(0);
  vi.unstubAllGlobals();
});

describe('cleaned', () => {
  test.each([
    ['a password', { slug: 'a', content: 'x', hasPassword: true }],
    ['a password of a file', { slug: 'a', requires_password: true }],
    ['a view limit', { slug: 'a', content: 'x', maxViews: 3 }],
    ['one view left', { slug: 'a', content: 'x', isLastView: true }],
  ])('keeps nothing of a share with %s', (_name, share) => {
    expect(cleaned(share)).toBeUndefined();
  });

  test('keeps an open share, without what signs or authorises', () => {
    const file = {
      slug: 'a',
      hasPassword: false,
      plain_password: 'secret',
      previewUrl: 'https://bucket.example.com/a?X-Amz-Signature=1',
      proxy_preview_url: '/api/file-view/a',
      parts: [{ url: '/api/blob/token/name' }],
    };
    expect(cleaned(file)).toEqual({
      slug: 'a',
      hasPassword: false,
      previewUrl: '',
      proxy_preview_url: '/api/file-view/a',
      parts: [{ url: '' }],
    });
  });

  test('tells the name of a setting and the kind of a field from a secret', () => {
    const kept = [
      { key: 'site_title', value: 'Harbour' },
      { key: 'secret_access_key', label: 'Secret', secret: true },
      { id: '1', name: 'script', permissions: 3 },
    ];
    const [setting, field, key] = kept;
    expect(cleaned([setting, { ...field, token: 'abc' }, { ...key, key: 'sk-abc' }])).toEqual(kept);
  });

  test('keeps the rows of a list, protected ones without their text', () => {
    const list = [
      { slug: 'open', content: 'x', hasPassword: false },
      { slug: 'shut', content: 'y', hasPassword: true },
      { slug: 'listed', content_preview: 'z', has_password: 1 },
      { slug: 'counted', content_preview: 'z', has_password: 0, max_views: 3 },
    ];
    expect(cleaned(list)).toEqual([
      { slug: 'open', content: 'x', hasPassword: false },
      { slug: 'shut', hasPassword: true },
      { slug: 'listed', has_password: 1 },
      { slug: 'counted', has_password: 0, max_views: 3 },
    ]);
  });
});
