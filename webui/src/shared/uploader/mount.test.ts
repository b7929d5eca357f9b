import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/errors';
import { abortParts, listParts } from '../../api/fs';
import { begunUploads } from './begun';
import { UploadError } from './errors';
import { uploadToMount, type UploadMethod } from './mount';
import { uploadMultipart } from './multipart';
import { inPartsFrom } from './parts';
import { putBytes } from './put';

vi.mock('../../api/fs', async (original) => ({
  ...(await original<object>()),
  abortParts: vi.fn(() => Promise.resolve()),
  listParts: vi.fn(),
}));
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

describe('a large file that a lost line has cut', () => {
  const target = { folder: '/m', name: 'film.bin' };
  const hooks = { signal: new AbortController().signal, onStage: () => {}, onSent: () => {} };
  const fileOf = (text: string) => new File([text.repeat(inPartsFrom)], 'film.bin', { lastModified: 7 });

  beforeEach(() => {
    vi.clearAllMocks();
    vi.mocked(listParts).mockResolvedValue({ parts: [] });
  });

  /** cut begins an upload that ends with `failure` after some bytes, with what uploadMultipart does then. */
  async function cut(file: File, failure: Error) {
    vi.mocked(uploadMultipart).mockImplementationOnce(async (_file, backend, options) => {
      options?.onStarted?.('u1');
      options?.onProgress?.(5);
      if (!options?.keeps?.(failure)) await backend.abort('u1');
      throw failure;
    });
    await expect(uploadToMount(file, target, hooks)).rejects.toBe(failure);
  }

  const resumed = async (file: File) => {
    vi.mocked(uploadMultipart).mockResolvedValueOnce(undefined);
    await uploadToMount(file, target, hooks);
    return vi.mocked(uploadMultipart).mock.lastCall?.[2]?.resume;
  };

  it('goes on with the same file, also chosen again, and leaves no note', async () => {
    await cut(fileOf('x'), new UploadError('parts'));
    expect(begunUploads()).toMatchObject([{ to: 'mount', folder: '/m', name: 'film.bin', upload_id: 'u1' }]);
    expect(abortParts).not.toHaveBeenCalled();
    expect(await resumed(fileOf('x'))).toBe('u1');
    expect(begunUploads()).toEqual([]);
  });

  it('begins anew with another file, and when the storage has it no more', async () => {
    await cut(fileOf('x'), new UploadError('parts'));
    expect(await resumed(fileOf('y'))).toBeUndefined();
    localStorage.clear();
    await cut(fileOf('x'), new UploadError('parts'));
    vi.mocked(listParts).mockRejectedValue(new ApiError('', { status: 404, code: 'upload_not_found' }));
    expect(await resumed(fileOf('x'))).toBeUndefined();
  });

  it('is kept when nobody can say whether the storage still has it', async () => {
    await cut(fileOf('x'), new UploadError('parts'));
    vi.mocked(listParts).mockRejectedValue(new ApiError('', { failure: 'network' }));
    await expect(uploadToMount(fileOf('x'), target, hooks)).rejects.toMatchObject({ failure: 'network' });
    expect(begunUploads()).toHaveLength(1);
  });

  it('leaves nothing after a refusal', async () => {
    await cut(fileOf('x'), new UploadError('http', 403));
    expect(abortParts).toHaveBeenCalledWith({ path: '/m', fileName: 'film.bin', uploadId: 'u1' });
    expect(begunUploads()).toEqual([]);
  });
});
