import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { data, fakeApi } from '../testing/fakeApi';
import { rows } from '../testing/memoryQueue';
import { enqueue } from './queue';
import { sync } from './sync';

vi.mock('../shared/offline/db', () => import('../testing/memoryQueue'));

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
