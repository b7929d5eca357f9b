import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { QueueItem } from '../shared/offline/db';
import { data, fakeApi } from '../testing/fakeApi';
import { enqueue } from './queue';
import { sync } from './sync';

const { rows } = vi.hoisted(() => ({ rows: new Map<string, QueueItem>() }));
vi.mock('../shared/offline/db', () => {
  const store = {
    get: (id: string) => Promise.resolve(rows.get(id)),
    getAll: () => Promise.resolve([...rows.values()]),
    put: (row: QueueItem) => Promise.resolve(rows.set(row.id, row)),
    delete: (id: string) => Promise.resolve(rows.delete(id)),
    index: () => ({ openKeyCursor: () => Promise.resolve(null) }),
  };
  const db = {
    get: (_store: string, id: string) => store.get(id),
    put: (_store: string, row: QueueItem) => store.put(row),
    getAllFromIndex: () => store.getAll(),
    transaction: () => ({ store, done: Promise.resolve() }),
  };
  return { database: () => Promise.resolve(db) };
});

beforeEach(() => rows.clear());
afterEach(() => vi.unstubAllGlobals());

it('has the owner told of a text that waited, where that was chosen, and of no other', async () => {
  let made = 0;
  const api = fakeApi({
    'POST /paste': () => data({ id: `p${++made}`, slug: `s${made}` }),
    'PUT /notifications/shares/p1': data({ tell: true }),
  });
  const wait = (content: string, tell: boolean) =>
    enqueue({
      kind: 'createPaste',
      method: 'POST',
      path: '/paste',
      body: { content },
      etag: '',
      idempotencyKey: '',
      authType: 'none',
      tell,
    });
  await wait('told', true);
  await wait('not told', false);
  await sync();
  await vi.waitFor(() => expect(api.count('PUT', '/notifications/shares/p1')).toBe(1));
  expect(api.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /paste',
    'POST /paste',
    'PUT /notifications/shares/p1',
  ]);
  expect(api.calls[0]?.body).toEqual({ content: 'told' });
});
