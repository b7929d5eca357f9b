import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/errors';
import type { BegunParts, FileParts } from '../../api/fileParts';
import type { CommittedFile, PresignRequest } from '../../api/types';
import { adopt, begunOf, begunUploads, isFileOf } from './begun';
import { NotRegistered, pausing, UploadError } from './errors';
import { partSize } from './parts';
import type { PutRequest } from './put';
import { shareInParts, type SharePartsCalls } from './shareParts';

// Parts are 10 bytes here.
vi.mock('./parts', async (original) => ({
  ...(await original<object>()),
  partSize: 10,
  partSizeFor: () => 10,
}));

const request: PresignRequest = { s3_config_id: 'c1', filename: 'shared.bin', size: 0 };
const over = new ApiError('', { status: 404, code: 'upload_not_found' });
const down = new ApiError('', { status: 503 });

/** A server that keeps one upload; `tamper` decides what a PUT of a part does. */
class Server {
  parts = new Map<number, number>();
  puts: number[] = [];
  begun = 0;
  aborted = 0;
  completes = 0;
  done = false;
  id = '';
  tamper: (part: number) => void = () => {};
  failing: unknown;

  private known({ file_id }: FileParts) {
    if (this.failing) throw this.failing;
    if (file_id !== this.id) throw over;
  }

  calls: SharePartsCalls = {
    begin: async ({ part_size, part_count, ...terms }) => {
      this.begun++;
      this.id = `f${this.begun}`;
      this.parts.clear();
      expect(terms.filename).toBe('shared.bin');
      const urls = Array.from({ length: part_count }, (_, n) => ({
        partNumber: n + 1,
        url: `/part/${n + 1}`,
      }));
      const place = {
        file_id: this.id,
        upload_id: 'u',
        slug: 's',
        provider_type: 'x',
        part_size,
        part_count,
      };
      return { ...place, presigned_urls: urls } satisfies BegunParts;
    },
    list: async (upload) => {
      this.known(upload);
      if (this.done) throw over;
      return {
        parts: [...this.parts].map(([partNumber, size]) => ({ partNumber, etag: `"${partNumber}"`, size })),
      };
    },
    refresh: async (upload, numbers) => {
      this.known(upload);
      return {
        presigned_urls: numbers.map((partNumber) => ({ partNumber, url: `/part/${partNumber}` })),
      };
    },
    complete: async (upload) => {
      this.completes++;
      this.known(upload);
      this.done = true;
      return { id: this.id, slug: 's' } as CommittedFile;
    },
    abort: async (upload) => {
      this.known(upload);
      this.aborted++;
      this.id = '';
    },
    put: async ({ url, body, signal }: PutRequest) => {
      const part = Number(url.split('/').at(-1));
      this.puts.push(part);
      this.tamper(part);
      if (signal?.aborted) throw new UploadError('aborted');
      this.parts.set(part, body.size);
      return { etag: `"${part}"` };
    },
    wait: async () => {},
    waitPart: async () => {},
  };
}

const fileOf = (text = 'x', length = 2 * partSize + 3) =>
  new File([text.repeat(length / text.length)], 'mine.bin', { lastModified: 7 });

function setUp(file = fileOf()) {
  const server = new Server();
  let stop = new AbortController();
  const sent: number[] = [];
  const run = (given: PresignRequest | undefined = request, of = file) => {
    stop = new AbortController();
    return shareInParts(
      of,
      given,
      { signal: stop.signal, onStage: () => {}, onSent: (bytes) => sent.push(bytes) },
      server.calls,
    );
  };
  return { server, file, run, sent, stop: (reason?: string) => stop.abort(reason) };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(() => undefined).catch((error: unknown) => error);

describe('a share in parts', () => {
  beforeEach(() => localStorage.clear());

  it('is begun, sent and completed, and leaves no note', async () => {
    const { server, run, sent } = setUp();
    await expect(run()).resolves.toMatchObject({ id: 'f1' });
    expect(server.puts.toSorted()).toEqual([1, 2, 3]);
    expect([...server.parts.values()]).toEqual([partSize, partSize, 3]);
    expect(sent.at(-1)).toBe(2 * partSize + 3);
    expect(begunUploads()).toEqual([]);
  });

  it('goes on after a reload, with the same file chosen again', async () => {
    const { server, run, stop, file } = setUp();
    server.tamper = (part) => {
      if (part === 2) stop(pausing);
    };
    expect(await failureOf(run())).toMatchObject({ failure: 'aborted' });
    expect(server.aborted).toBe(0);
    const [begun] = begunUploads();
    expect(begun).toMatchObject({ file_id: 'f1', name: 'shared.bin', fileName: 'mine.bin', size: file.size });

    server.tamper = () => {};
    server.puts = [];
    const again = fileOf();
    if (begun) {
      expect(await isFileOf(begun, again)).toBe(true);
      adopt(again, begun);
    }
    const had = new Set(server.parts.keys());
    await expect(run(undefined, again)).resolves.toMatchObject({ id: 'f1' });
    expect(server.begun).toBe(1);
    expect(server.puts.some((part) => had.has(part))).toBe(false);
    expect(begunUploads()).toEqual([]);
  });

  it('knows another file by name, size, time, and by its first and its last part', async () => {
    const { server, run, stop } = setUp();
    server.tamper = () => stop(pausing);
    await failureOf(run());
    const [begun] = begunUploads();
    if (!begun) throw new Error('nothing was noted');
    const end = new File([fileOf().slice(0, 2 * partSize + 2), 'y'], 'mine.bin', { lastModified: 7 });
    const start = new File(['y', fileOf().slice(1)], 'mine.bin', { lastModified: 7 });
    const later = new File([fileOf()], 'mine.bin', { lastModified: 8 });
    const named = new File([fileOf()], 'other.bin', { lastModified: 7 });
    for (const file of [end, start, later, named, fileOf('x', 5)]) {
      expect(await isFileOf(begun, file)).toBe(false);
    }
    expect(await isFileOf(begun, fileOf())).toBe(true);
  });

  it('is kept when the line is lost, and the next try sends only the rest', async () => {
    const { server, run, file } = setUp();
    server.tamper = (part) => {
      if (part === 3) throw new UploadError('network');
    };
    expect(await failureOf(run())).toMatchObject({ failure: 'parts' });
    expect(server.puts.filter((part) => part === 3)).toHaveLength(4);
    expect(server.aborted).toBe(0);
    expect(begunOf(file)).toBeDefined();
    server.tamper = () => {};
    server.puts = [];
    await expect(run()).resolves.toMatchObject({ id: 'f1' });
    expect(server.puts).toEqual([3]);
  });

  it('is deleted at the server when it is cancelled, and says so', async () => {
    const { server, run, stop } = setUp();
    server.tamper = () => stop();
    expect(await failureOf(run())).toMatchObject({ failure: 'aborted', discarded: true });
    expect(server.aborted).toBe(1);
    expect(begunUploads()).toEqual([]);
  });

  it('stays noted when the server cannot be told that it was cancelled', async () => {
    const { server, run, stop } = setUp();
    server.tamper = () => {
      server.failing = down;
      stop();
    };
    expect(await failureOf(run())).toMatchObject({ failure: 'aborted', discarded: false });
    expect(begunUploads()).toHaveLength(1);
  });

  it('is deleted when the storage refuses for good', async () => {
    const { server, run } = setUp();
    server.tamper = () => {
      throw new UploadError('noETag');
    };
    expect(await failureOf(run())).toMatchObject({ failure: 'noETag' });
    expect(server.aborted).toBe(1);
  });

  it('begins anew when the server has forgotten it, but only with terms to begin with', async () => {
    const { server, run, stop, file } = setUp();
    server.tamper = () => stop(pausing);
    await failureOf(run());
    server.tamper = () => {};
    server.id = 'gone';
    const [begun] = begunUploads();
    if (begun) adopt(file, begun);
    expect(await failureOf(shareInPartsOf(server, file))).toMatchObject({ failure: 'gone' });
    expect(begunUploads()).toEqual([]);
    await expect(run()).resolves.toMatchObject({ id: 'f2' });
  });

  it('finds the share when only the answer to the last call was lost', async () => {
    const { server, run, file } = setUp();
    const complete = server.calls.complete;
    server.calls.complete = async (upload, signal) => {
      await complete(upload, signal);
      throw down;
    };
    const error = await failureOf(run());
    expect(error).toBeInstanceOf(NotRegistered);
    expect(server.completes).toBe(4);
    expect(server.aborted).toBe(0);
    expect(begunUploads()).toHaveLength(1);
    server.calls.complete = complete;
    await expect(shareInPartsOf(server, file)).resolves.toMatchObject({ id: 'f1' });
    expect(server.puts).toHaveLength(3);
    expect(begunUploads()).toEqual([]);
  });

  it('begins again where the server was too busy to', async () => {
    const { server, run } = setUp();
    const begin = server.calls.begin;
    server.calls.begin = async () => {
      server.calls.begin = begin;
      throw new ApiError('', { status: 503, code: 'overloaded' });
    };
    await expect(run()).resolves.toMatchObject({ id: 'f1' });
  });

  it('leaves nothing when it is cancelled while it is begun', async () => {
    const { server, run, stop } = setUp();
    const begin = server.calls.begin;
    server.calls.begin = async (body) => {
      stop();
      return begin(body);
    };
    expect(await failureOf(run())).toMatchObject({ failure: 'aborted', discarded: true });
    expect(server.aborted).toBe(1);
    expect(server.puts).toEqual([]);
  });
});

const shareInPartsOf = (server: Server, file: File) =>
  shareInParts(
    file,
    undefined,
    { signal: new AbortController().signal, onStage: () => {}, onSent: () => {} },
    server.calls,
  );
