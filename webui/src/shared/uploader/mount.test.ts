import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UploadError } from './errors';
import { uploadToMount, type UploadMethod } from './mount';
import { inPartsFrom, uploadMultipart } from './multipart';
import { putBytes } from './put';

vi.mock('./multipart', async (original) => ({ ...(await original<object>()), uploadMultipart: vi.fn() }));
vi.mock('./put', async (original) => ({ ...(await original<object>()), putBytes: vi.fn() }));

/** upload sends a large file to a storage that fails after some bytes; it answers the ways that were taken. */
async function upload(method: UploadMethod, failure: UploadError, sent: number) {
  const file = new File(['x'.repeat(inPartsFrom)], 'film.bin');
  const refused = vi.fn();
  vi.mocked(uploadMultipart).mockImplementation((_file, _backend, options) => {
    if (sent > 0) options?.onProgress?.(sent);
    return Promise.reject(failure);
  });
  vi.mocked(putBytes).mockResolvedValue({ etag: null });
  const hooks = {
    signal: new AbortController().signal,
    onStage: () => {},
    onSent: () => {},
    onRefused: refused,
  };
  const done = await uploadToMount(file, { folder: '/m', name: 'film.bin', method }, hooks).then(
    () => true,
    () => false,
  );
  return { done, told: refused.mock.calls.length, through: vi.mocked(putBytes).mock.calls.length };
}

describe('a large file', () => {
  beforeEach(() => vi.clearAllMocks());

  it.each<[string, UploadMethod, UploadError, number, boolean]>([
    ['goes through the server where no byte is let in', 'auto', new UploadError('network'), 0, true],
    ['goes through the server where each part is refused', 'auto', new UploadError('parts'), 0, true],
    ['goes through the server where ETags are hidden', 'auto', new UploadError('noETag'), 5, true],
    ['is not sent again after a line that broke', 'auto', new UploadError('network'), 5, false],
    ['stays with the way that somebody chose', 'parts', new UploadError('network'), 0, false],
    ['is not sent again after an answer', 'auto', new UploadError('http', 403), 0, false],
  ])('%s', async (_, method, failure, sent, through) => {
    expect(await upload(method, failure, sent)).toEqual({
      done: through,
      told: through ? 1 : 0,
      through: through ? 1 : 0,
    });
  });
});
