import { beforeEach, describe, expect, it, vi } from 'vitest';
import { data, fakeApi, refused, type SeenCall } from '../../testing/fakeApi';
import { changeVisit, visitOf } from '../requests/visit';
import { begunUploads } from './begun';
import { pausing, UploadError } from './errors';
import { putBytes, type PutRequest } from './put';
import type { UploadItem } from './queue';
import { sendToRequest } from './sendToRequest';
import type { Arrived } from './uploads';

// Parts are 10 bytes here, and nothing is waited for.
vi.mock('./parts', async (original) => ({
  ...(await original<object>()),
  partSize: 10,
  partSizeFor: () => 10,
}));
vi.mock('./share', async (original) => ({ ...(await original<object>()), waitLonger: async () => {} }));
vi.mock('./put', async (original) => ({ ...(await original<object>()), putBytes: vi.fn() }));

const fileOf = (text: string, name = 'mine.bin') => new File([text], name, { lastModified: 7 });
const text = 'one part..two parts.end';

/** A request that keeps files in parts of 10 bytes, and small ones in one piece. */
function serve({ parts = true } = {}) {
  const files = new Map<string, { size: number; has: Set<number>; stored: boolean }>();
  const puts: string[] = [];
  let completing: Response | undefined;
  let stopAt: { put: number; stop: () => void } | undefined;
  const of = (call: SeenCall) => call.path.split('/')[5]?.split('?')[0] ?? '';
  const tell = (id: string) => {
    const { size, has, stored } = files.get(id) ?? { size: 0, has: new Set<number>(), stored: false };
    const count = parts && size > 10 ? Math.ceil(size / 10) : 0;
    const missing = Array.from({ length: count }, (_, n) => n + 1).filter((n) => !stored && !has.has(n));
    return {
      id,
      name: 'mine.bin',
      size,
      state: stored ? 'stored' : 'sending',
      part_size: count && 10,
      part_count: count,
      arrived: stored ? [] : [...has],
      links: missing.map((partNumber) => ({ partNumber, url: `/put/${id}/${partNumber}` })),
    };
  };
  const known = (answer: (id: string) => unknown) => (call: SeenCall) => {
    expect(call.headers.get('X-Request-Visit')).toBe('s3cret');
    return files.has(of(call)) ? data(answer(of(call))) : refused(404, 'upload_not_found');
  };
  const paths = (id: string) => ({
    [`GET /public/requests/abc/files/${id}`]: known(tell),
    [`POST /public/requests/abc/files/${id}/complete`]: (call: SeenCall) => {
      if (completing) return completing;
      const file = files.get(id);
      if (file) file.stored = true;
      return known(tell)(call);
    },
    [`DELETE /public/requests/abc/files/${id}`]: known((one) => files.delete(one)),
  });
  const { calls } = fakeApi({
    'POST /public/requests/abc/files': ({ body }) => {
      const id = `f${files.size + 1}`;
      files.set(id, { size: (body as { size: number }).size, has: new Set(), stored: false });
      return data(tell(id));
    },
    ...paths('f1'),
    ...paths('f2'),
  });
  vi.mocked(putBytes).mockImplementation(async ({ url, signal }: PutRequest) => {
    puts.push(url);
    if (puts.length === stopAt?.put) stopAt.stop();
    if (signal?.aborted) throw new UploadError('aborted');
    const [, , id = '', part] = url.split('/');
    files.get(id)?.has.add(Number(part));
    return { etag: null };
  });
  return {
    files,
    puts,
    announced: () => calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/files')),
    fail: (answer: Response | undefined) => (completing = answer),
    stopAt: (put: number, stop: () => void) => (stopAt = { put, stop }),
  };
}

function send(file: File, stop = new AbortController()) {
  const item = { file, name: file.name, to: 'request', folder: 'abc' } as UploadItem<Arrived>;
  const hooks = { signal: stop.signal, onStage: () => {}, onSent: () => {} };
  return sendToRequest(item, { index: 0, count: 1 }, hooks);
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(() => undefined).catch((error: unknown) => error);

/** pause sends a file up to its second part, and pauses. */
async function pause(server: ReturnType<typeof serve>) {
  const stop = new AbortController();
  server.stopAt(2, () => stop.abort(pausing));
  expect(await failureOf(send(fileOf(text), stop))).toMatchObject({ failure: 'aborted' });
}

describe('a file for a request', () => {
  beforeEach(() => {
    localStorage.clear();
    changeVisit('abc', { secret: 's3cret', sender: 'Ann', note: 'as agreed' });
  });

  it('goes in parts, with what its sender has said, and leaves no note', async () => {
    const server = serve();
    await expect(send(fileOf(text))).resolves.toMatchObject({ id: 'f1', state: 'stored' });
    expect(server.announced().map(({ body }) => body)).toEqual([
      { name: 'mine.bin', size: 23, sender: 'Ann', note: 'as agreed' },
    ]);
    expect(server.puts.toSorted()).toEqual(['/put/f1/1', '/put/f1/2', '/put/f1/3']);
    expect(begunUploads()).toEqual([]);
  });

  it('is noted with a proof and without the secret, and goes on when the very same one is chosen again', async () => {
    const server = serve();
    await pause(server);
    expect(begunUploads()).toMatchObject([{ to: 'request', folder: 'abc', upload_id: 'f1', file_id: '' }]);
    expect(JSON.stringify(begunUploads())).not.toContain('s3cret');
    const arrived = server.files.get('f1')?.has.size ?? 0;
    server.puts.length = 0;
    await expect(send(fileOf(text))).resolves.toMatchObject({ id: 'f1', state: 'stored' });
    expect(server.puts).toHaveLength(3 - arrived);
    expect(server.announced()).toHaveLength(1);
  });

  it('begins anew when another one has its name, size and time', async () => {
    const server = serve();
    await pause(server);
    await expect(send(fileOf(text.replace('end', 'END')))).resolves.toMatchObject({ id: 'f2' });
    expect(server.announced()).toHaveLength(2);
    expect(begunUploads()).toMatchObject([{ upload_id: 'f1' }]);
  });

  it('begins anew when the server has given up what was begun', async () => {
    const server = serve();
    await pause(server);
    server.files.delete('f1');
    server.files.set('another', { size: 0, has: new Set(), stored: false });
    await expect(send(fileOf(text))).resolves.toMatchObject({ id: 'f2' });
    expect(begunUploads()).toEqual([]);
  });

  it('is not sent again when only the answer was lost', async () => {
    const server = serve();
    server.fail(refused(503, 'storage_unavailable'));
    const file = fileOf(text);
    expect(await failureOf(send(file))).toMatchObject({ status: 503 });
    expect(begunUploads()).toHaveLength(1);
    const one = server.files.get('f1');
    if (one) one.stored = true;
    server.fail(undefined);
    server.puts.length = 0;
    await expect(send(file)).resolves.toMatchObject({ id: 'f1', state: 'stored' });
    expect(server.puts).toEqual([]);
    expect(begunUploads()).toEqual([]);
  });

  it('gives its place back when it is cancelled, in parts and whole', async () => {
    const server = serve();
    for (const content of [text, 'short']) {
      const stop = new AbortController();
      server.stopAt(server.puts.length + 1, () => stop.abort());
      expect(await failureOf(send(fileOf(content), stop))).toMatchObject({ failure: 'aborted' });
      await vi.waitFor(() => expect(server.files.size).toBe(0));
    }
    expect(begunUploads()).toEqual([]);
  });

  it('goes whole when it is small, and where the storage knows no parts', async () => {
    const server = serve({ parts: false });
    await expect(send(fileOf('short', 'small.bin'))).resolves.toMatchObject({ id: 'f1' });
    await expect(send(fileOf(text))).resolves.toMatchObject({ id: 'f2' });
    expect(server.puts.map((url) => url.split('/').slice(-2))).toEqual([
      ['f1', 'content'],
      ['f2', 'content'],
    ]);
    expect(begunUploads()).toEqual([]);
  });
});

it('knows a visit of the version before, and forgets what that has begun without a proof', () => {
  const begun = [{ id: 'f9', name: 'old.bin', size: 3, modified: 1 }];
  const before = { secret: 's', sender: 'Ann', note: '', begun };
  localStorage.setItem('pp.own.request.abc', JSON.stringify(before));
  expect(visitOf('abc')).toMatchObject({ secret: 's', sender: 'Ann' });
  changeVisit('abc', { note: 'new' });
  expect(JSON.parse(localStorage.getItem('pp.own.request.abc') ?? '')).toEqual({
    secret: 's',
    sender: 'Ann',
    note: 'new',
  });
});
