import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/client';
import type { CommittedFile, CommitRequest, Presigned, PresignRequest } from '../../api/types';
import { NotRegistered, UploadError } from './errors';
import type { PutRequest } from './put';
import { shareFile, type ShareCalls, type Stage } from './share';

const file = new Blob(['hello']);
const request: PresignRequest = { s3_config_id: 'c1', filename: 'a.txt', size: 5 };
const place: Presigned = {
  file_id: 'f1',
  upload_url: '/api/blob/t/a.txt',
  storage_path: 'a.txt',
  s3_url: '',
  slug: 's1',
  provider_type: 'Local disk',
  contentType: 'text/plain',
  url: '/file/s1',
  raw_url: '/api/raw/s1',
  hasPassword: false,
  maxViews: null,
  expiresAt: null,
};
const committed = { id: 'f1', slug: 's1', url: '/file/s1' } as CommittedFile;
const serverDown = new ApiError('down', { status: 503 });

function setUp(over: Partial<ShareCalls> = {}) {
  const puts: PutRequest[] = [];
  const commits: CommitRequest[] = [];
  const waits: number[] = [];
  const stages: Stage[] = [];
  const discarded: string[] = [];
  const stop = new AbortController();
  const run = () =>
    shareFile(
      file,
      request,
      { signal: stop.signal, onStage: (stage) => stages.push(stage), onSent: () => {} },
      {
        presign: async () => place,
        put: async (put) => {
          puts.push(put);
          put.onProgress?.(put.body.size);
          return { etag: '"abc"' };
        },
        commit: async (body) => {
          commits.push(body);
          return committed;
        },
        discard: async (id) => discarded.push(id),
        wait: async (attempt) => {
          waits.push(attempt);
        },
        ...over,
      },
    );
  return { run, puts, commits, waits, stages, discarded, stop };
}

describe('shareFile', () => {
  it('presigns, puts with the type the server named, and commits with the bare ETag', async () => {
    const { run, puts, commits, stages, discarded } = setUp();
    await expect(run()).resolves.toBe(committed);
    expect(puts[0]?.url).toBe('/api/blob/t/a.txt');
    expect(puts[0]?.headers).toEqual({ 'Content-Type': 'text/plain' });
    expect(commits).toEqual([{ file_id: 'f1', size: 5, etag: 'abc' }]);
    expect(stages).toEqual(['initializing', 'uploading', 'processing', 'completing', 'completed']);
    expect(discarded).toEqual([]);
  });

  it('adds the headers that Backblaze B2 wants', async () => {
    const { run, puts } = setUp({ presign: async () => ({ ...place, provider_type: 'Backblaze B2' }) });
    await run();
    expect(puts[0]?.headers).toEqual({
      'Content-Type': 'text/plain',
      'X-Bz-Content-Sha1': 'do_not_verify',
      'X-Requested-With': 'XMLHttpRequest',
    });
  });

  it('begins again where the server was too busy to, and only there', async () => {
    const answers = [
      new ApiError('busy', { status: 503, code: 'overloaded' }),
      new ApiError('busy', { status: 503, code: 'overloaded' }),
    ];
    const { run, waits, discarded } = setUp({
      presign: async () => {
        const refused = answers.pop();
        if (refused) throw refused;
        return place;
      },
    });
    await expect(run()).resolves.toBe(committed);
    expect(waits).toEqual([1, 2]);
    const stopped = setUp({
      presign: () => Promise.reject(new ApiError('busy', { status: 503, code: 'overloaded' })),
      wait: async () => stopped.stop.abort(),
    });
    await expect(stopped.run()).rejects.toMatchObject({ failure: 'aborted' });
    const down = setUp({ presign: () => Promise.reject(serverDown) });
    await expect(down.run()).rejects.toBe(serverDown);
    expect([down.waits, discarded]).toEqual([[], []]);
  });

  it('has nothing to delete when presigning is refused', async () => {
    const refused = new ApiError('taken', { status: 409, code: 'slug_taken' });
    const { run, discarded } = setUp({ presign: () => Promise.reject(refused) });
    await expect(run()).rejects.toBe(refused);
    expect(discarded).toEqual([]);
  });

  it('deletes the record when the bytes do not arrive', async () => {
    const { run, discarded } = setUp({ put: () => Promise.reject(new UploadError('network')) });
    await expect(run()).rejects.toMatchObject({ failure: 'network' });
    expect(discarded).toEqual(['f1']);
  });

  it('deletes the record when cancelled while sending', async () => {
    const { run, discarded, stop } = setUp({
      put: () => {
        stop.abort();
        return Promise.reject(new UploadError('aborted'));
      },
    });
    await expect(run()).rejects.toMatchObject({ failure: 'aborted', discarded: true });
    expect(discarded).toEqual(['f1']);
  });

  it('says when the server could not be told that it was cancelled', async () => {
    const { run, stop } = setUp({
      put: () => {
        stop.abort();
        return Promise.reject(new UploadError('aborted'));
      },
      discard: () => Promise.reject(serverDown),
    });
    await expect(run()).rejects.toMatchObject({ failure: 'aborted', discarded: false });
  });

  it('repeats a commit that got no answer, with growing pauses', async () => {
    const commit = vi
      .fn<ShareCalls['commit']>()
      .mockRejectedValueOnce(serverDown)
      .mockRejectedValueOnce(new ApiError('', { failure: 'network' }))
      .mockResolvedValue(committed);
    const { run, waits } = setUp({ commit });
    await expect(run()).resolves.toBe(committed);
    expect(waits).toEqual([1, 2]);
  });

  it('keeps what has arrived when the commit keeps failing, and can commit later', async () => {
    const commit = vi.fn<ShareCalls['commit']>().mockRejectedValue(serverDown);
    const { run, discarded, puts } = setUp({ commit });
    const error = await run().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotRegistered);
    expect(commit).toHaveBeenCalledTimes(4);
    expect(discarded).toEqual([]);
    commit.mockResolvedValue(committed);
    if (error instanceof NotRegistered) {
      await expect(error.commit(new AbortController().signal)).resolves.toBe(committed);
    }
    expect(puts).toHaveLength(1);
  });

  it('deletes the record when the commit is refused for good', async () => {
    const refused = new ApiError('over quota', { status: 400 });
    const { run, discarded, waits } = setUp({ commit: () => Promise.reject(refused) });
    await expect(run()).rejects.toBe(refused);
    expect(waits).toEqual([]);
    expect(discarded).toEqual(['f1']);
  });
});
