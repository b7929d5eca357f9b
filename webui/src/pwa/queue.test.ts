import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { api, ApiError } from '../api/client';
import { adminSession, show, visitor } from '../auth/session';
import { rows } from '../testing/memoryQueue';
import {
  amend,
  asNew,
  discard,
  drain,
  enqueue,
  isGone,
  isOvertaken,
  kindOf,
  sentWithin,
  waitBefore,
} from './queue';

vi.mock('../shared/offline/db', () => import('../testing/memoryQueue'));

describe('a write that is tried again', () => {
  const write = (body: Record<string, unknown> = { content: 'mine' }) =>
    enqueue({
      kind: 'createPaste',
      method: 'POST',
      path: '/paste',
      body,
      etag: '',
      idempotencyKey: '',
      authType: 'none',
    });
  const only = () => {
    const [first] = rows.values();
    if (!first) throw new Error('nothing waits');
    return first;
  };

  beforeEach(() => {
    rows.clear();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    show(visitor);
  });

  /** refused sends what waits, and gives the calls once the first was refused. */
  const refused = async (passwords = {}) => {
    const post = vi.spyOn(api, 'post').mockRejectedValue(new ApiError('', { status: 503 }));
    const done = drain(passwords);
    await vi.waitFor(() => expect(only().status).toBe('retry'));
    return { post, done: () => vi.runAllTimersAsync().then(() => done) };
  };

  test('is not sent after it was given up, and does not come back', async () => {
    await write();
    const { post, done } = await refused();
    await discard(only().id);
    await done();
    expect(post).toHaveBeenCalledTimes(1);
    expect(rows.size).toBe(0);
  });

  test('is not sent as it was after it was changed', async () => {
    await write();
    const { post, done } = await refused();
    await amend(only().id, { data: { content: 'better' } });
    await done();
    expect(post).toHaveBeenCalledTimes(1);
    expect(only()).toMatchObject({ status: 'pending', data: { content: 'better' } });
  });

  test('is not sent for another account that has signed in meanwhile', async () => {
    await write();
    const { post, done } = await refused();
    show(adminSession());
    await done();
    expect(post).toHaveBeenCalledTimes(1);
    expect(only()).toMatchObject({ account: 'visitor', data: { content: 'mine' } });
  });

  test('takes its password along each time, and leaves none behind', async () => {
    await write({ content: 'mine', password: 'sesame' });
    const { post, done } = await refused({ [only().id]: 'sesame' });
    await done();
    expect(post.mock.calls.map(([, body]) => (body as { password?: string }).password)).toEqual(
      Array(4).fill('sesame'),
    );
    expect(JSON.stringify([...rows.values()])).not.toContain('sesame');
    await amend(only().id, {});
    await drain();
    expect(post).toHaveBeenCalledTimes(4);
    expect(only().status).toBe('needs_input');
  });

  test('keeps its key with the same password, and is another write with another one', async () => {
    await write({ content: 'mine', password: 'sesame' });
    // The server has made the share and its answer is lost; it knows a write by its key and its bytes.
    const made = new Map<string, string>();
    let isLost = true;
    const post = vi.spyOn(api, 'post').mockImplementation((_path, body, { idempotencyKey = '' } = {}) => {
      const said = JSON.stringify(body);
      const known = made.get(idempotencyKey);
      if (known !== undefined && known !== said)
        return Promise.reject(new ApiError('', { status: 422, code: 'idempotency_reused' }));
      made.set(idempotencyKey, said);
      return isLost ? Promise.reject(new ApiError('', { status: 400 })) : Promise.resolve({});
    });
    const { id, idempotencyKey } = only();
    await drain({ [id]: 'sesame' });
    await amend(id, {});
    await drain({ [id]: 'sesame' });
    expect([...made.keys()]).toEqual([idempotencyKey]);

    await amend(id, {});
    isLost = false;
    await drain({ [id]: 'open' });
    expect([...made.values()].map((said) => (JSON.parse(said) as { password: string }).password)).toEqual([
      'sesame',
      'open',
    ]);
    expect(post).toHaveBeenCalledTimes(4);
    expect(rows.size).toBe(0);
  });

  test('is sent after seven days only on purpose, as another write', async () => {
    await write();
    const post = vi.spyOn(api, 'post').mockResolvedValue({});
    const { id, idempotencyKey, timestamp } = only();
    const now = vi.spyOn(Date, 'now').mockReturnValue(timestamp + sentWithin + 1);
    await drain();
    expect(post).not.toHaveBeenCalled();
    expect(only()).toMatchObject({ status: 'failed', reason: 'too_old' });
    await amend(id, {});
    await drain();
    expect(post).toHaveBeenCalledTimes(1);
    expect(post.mock.calls[0]?.[2]?.idempotencyKey).not.toBe(idempotencyKey);
    expect(rows.size).toBe(0);
    now.mockRestore();
  });

  test('waits on when something else than the server answers in its place', async () => {
    await write();
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('<html>Log in to the network</html>')));
    const done = drain();
    await vi.waitFor(() => expect(only()).toMatchObject({ status: 'retry', reason: 'network' }));
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{"code":201,"data":{"slug":"a"}}')));
    await vi.runAllTimersAsync();
    expect((await done).sent).toHaveLength(1);
    expect(rows.size).toBe(0);
    vi.unstubAllGlobals();
  });

  test('waits on when the server cannot be reached although there is a network', async () => {
    await write();
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true);
    const post = vi.spyOn(api, 'post').mockRejectedValue(new ApiError('', { failure: 'network' }));
    const done = drain();
    await vi.waitFor(() => expect(only().status).toBe('retry'));
    await vi.runAllTimersAsync();
    expect(await done).toEqual({ sent: [], refused: 0 });
    expect(post).toHaveBeenCalledTimes(4);
    expect(only()).toMatchObject({ status: 'pending', reason: '' });
    post.mockResolvedValue({ slug: 'a' });
    expect((await drain()).sent).toHaveLength(1);
    expect(rows.size).toBe(0);
  });

  test('that has no text is no conflict when it is refused, but can be sent again', async () => {
    await enqueue({
      kind: 'clearCache',
      method: 'POST',
      path: '/admin/cache/clear',
      body: {},
      etag: '',
      idempotencyKey: '',
      authType: 'none',
    });
    vi.spyOn(api, 'post').mockRejectedValue(new ApiError('busy', { status: 409 }));
    expect(await drain()).toMatchObject({ refused: 1 });
    expect(only()).toMatchObject({ status: 'failed', reason: 'busy' });
  });

  test('that has no text and was overtaken is sent on purpose, for any version', async () => {
    await enqueue({
      kind: 'updateGroupSettings',
      method: 'PUT',
      path: '/admin/settings/group/1',
      body: { site_title: 'Mine' },
      etag: '"seen"',
      idempotencyKey: '',
      authType: 'none',
    });
    const put = vi
      .spyOn(api, 'put')
      .mockRejectedValueOnce(new ApiError('', { status: 412, code: 'precondition_failed' }))
      .mockResolvedValueOnce({});
    await drain();
    expect(put.mock.lastCall?.[2]).toMatchObject({ headers: { 'If-Match': '"seen"' } });
    expect(isOvertaken(only())).toBe(true);
    await amend(only().id, { etag: '' });
    expect(isOvertaken(only())).toBe(false);
    await drain();
    expect(put.mock.lastCall?.[2]).not.toHaveProperty('headers');
    expect(rows.size).toBe(0);
  });

  test.each([
    ['without a password', '', {}],
    ['with a password', 'sesame', { password: 'sesame' }],
  ])('as the change of a text that is gone becomes a new one, %s', async (_name, password, more) => {
    await enqueue({
      kind: 'updatePaste',
      method: 'PUT',
      path: '/pastes/abc',
      body: {
        content: 'mine',
        newSlug: 'own',
        remark: 'r',
        expiresAt: null,
        maxViews: 0,
        clearPassword: true,
      },
      etag: '"seen"',
      idempotencyKey: '',
      authType: 'none',
    });
    const put = vi.spyOn(api, 'put').mockRejectedValue(new ApiError('', { status: 404, code: 'not_found' }));
    expect(await drain()).toMatchObject({ refused: 1 });
    expect(isGone(only())).toBe(true);
    const post = vi.spyOn(api, 'post').mockResolvedValue({ slug: 'own' });
    const { id, idempotencyKey } = only();
    await amend(id, asNew(only(), password !== ''));
    expect(isGone(only())).toBe(false);
    expect((await drain(password ? { [id]: password } : {})).sent).toHaveLength(1);
    const [path, body, options] = post.mock.lastCall ?? [];
    expect(path).toBe('/paste');
    expect(body).toEqual({
      content: 'mine',
      slug: 'own',
      remark: 'r',
      expiresAt: null,
      maxViews: 0,
      ...more,
    });
    expect(options).not.toHaveProperty('headers');
    expect(options?.idempotencyKey).not.toBe(idempotencyKey);
    expect(put).toHaveBeenCalledTimes(1);
    expect(rows.size).toBe(0);
  });

  test('that waits without its password, as a new text too, is not sent without', async () => {
    await enqueue({
      kind: 'updatePaste',
      method: 'PUT',
      path: '/pastes/abc',
      body: { content: 'mine', password: 'sesame' },
      etag: '',
      idempotencyKey: '',
      authType: 'none',
    });
    vi.spyOn(api, 'put').mockRejectedValue(new ApiError('', { status: 404, code: 'not_found' }));
    await drain({ [only().id]: 'sesame' });
    const post = vi.spyOn(api, 'post').mockResolvedValue({});
    await amend(only().id, asNew(only(), false));
    await drain();
    expect(post).not.toHaveBeenCalled();
    expect(only()).toMatchObject({ type: 'createPaste', status: 'needs_input' });
  });

  test('is not sent with a new key after it was given up', async () => {
    await write();
    const post = vi.spyOn(api, 'post').mockImplementation(async () => {
      await discard(only().id);
      throw new ApiError('', { status: 422, code: 'idempotency_reused' });
    });
    await drain();
    expect(post).toHaveBeenCalledTimes(1);
    expect(rows.size).toBe(0);
  });
});

test.each([
  ['POST', '/paste', 'createPaste'],
  ['PUT', '/pastes/abc-1', 'updatePaste'],
  ['DELETE', '/pastes/batch-delete', 'batchDelete'],
  ['POST', '/admin/pastes/clear-expired', 'clearExpired'],
  ['POST', '/pastes/clear-expired', 'clearExpired'],
  ['PUT', '/admin/settings/group/4', 'updateGroupSettings'],
  ['POST', '/user/cache/clear', 'clearCache'],
])('%s %s may wait as %s', (method, path, kind) => {
  expect(kindOf(method, path)).toBe(kind);
});

test.each([
  ['POST', '/public/files/abc/verify'],
  ['POST', '/admin/login'],
  ['POST', '/admin/change-password'],
  ['POST', '/paste/abc'],
  ['PUT', '/pastes/../admin/settings'],
  ['DELETE', '/fs/batch-remove'],
  ['POST', '//evil.example/paste'],
])('%s %s never waits', (method, path) => {
  expect(kindOf(method, path)).toBeUndefined();
});

test('the waits between tries double up to half a minute', () => {
  expect([1, 2, 3, 9].map(waitBefore)).toEqual([1000, 2000, 4000, 30_000]);
});
