import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from '../api/errors';
import type { LostCall } from '../api/offline';
import { enqueue } from './queue';
import { standIn } from './standIn';

vi.mock('./queue', async (original) => ({ ...(await original<object>()), enqueue: vi.fn() }));

const lost = new ApiError('', { failure: 'network' });
const share: LostCall = {
  method: 'POST',
  path: '/paste',
  body: { content: 'x' },
  etag: '',
  idempotencyKey: 'k',
};

const outcomeOf = (call: LostCall) =>
  standIn(call, lost).then(
    () => undefined,
    (error: unknown) => error,
  );

beforeEach(() => {
  vi.mocked(enqueue).mockReset().mockResolvedValue();
});

describe.each([true, false])('a lost call, with the browser online: %s', (onLine) => {
  beforeEach(() => void vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(onLine));

  test('waits when it is of a kind that may', async () => {
    expect(await outcomeOf(share)).toMatchObject({ failure: 'queued' });
    expect(enqueue).toHaveBeenCalledWith(
      expect.objectContaining({ kind: 'createPaste', path: '/paste', idempotencyKey: 'k' }),
    );
  });

  test('stays lost when it may not wait, or the device cannot keep it', async () => {
    expect(await outcomeOf({ ...share, path: '/fs/mkdir' })).toBe(lost);
    expect(enqueue).not.toHaveBeenCalled();
    vi.mocked(enqueue).mockRejectedValue(new Error('full'));
    expect(await outcomeOf(share)).toBe(lost);
  });

  test('that checks a password never waits', async () => {
    const failure = onLine ? 'network' : 'later';
    expect(await outcomeOf({ ...share, path: '/paste/abc' })).toMatchObject({ failure });
    expect(enqueue).not.toHaveBeenCalled();
  });
});
