import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginTrace } from '../../api/trace';
import { config } from '../../config';
import { UploadError } from './errors';
import { partTimeout, putBytes } from './put';

class FakeXhr {
  static last: FakeXhr;
  upload: { onprogress?: (event: { loaded: number }) => void } = {};
  headers: Record<string, string> = {};
  status = 0;
  timeout = 0;
  method = '';
  url = '';
  etag: string | null = '"e1"';
  responseText = '';
  onload = () => {};
  onerror = () => {};
  ontimeout = () => {};
  onabort = () => {};
  body: unknown;

  constructor() {
    FakeXhr.last = this;
  }
  open(method: string, url: string) {
    this.method = method;
    this.url = url;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  getResponseHeader = (name: string) => (name === 'ETag' ? this.etag : null);
  send(body: unknown) {
    this.body = body;
  }
  abort() {
    this.onabort();
  }
  answer(status: number, text = '') {
    this.status = status;
    this.responseText = text;
    this.onload();
  }
}

const body = new Blob(['0123456789']);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('XMLHttpRequest', FakeXhr);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('putBytes', () => {
  it('names the trace of the upload to this origin, and to no storage elsewhere', async () => {
    config.tracing = true;
    const { signal } = new AbortController();
    beginTrace(signal);
    const sent = async (url: string) => {
      const done = putBytes({ url, body, signal });
      FakeXhr.last.answer(200);
      await done;
      return FakeXhr.last.headers.traceparent;
    };
    expect(await sent('/api/blob/t/a.txt')).toMatch(/^00-/);
    expect(await sent('https://bucket.example/a.txt')).toBeUndefined();
    config.tracing = false;
  });

  it('sends to a relative address of this origin, with the headers given', async () => {
    const done = putBytes({ url: '/api/blob/t/a.txt', body, headers: { 'Content-Type': 'text/plain' } });
    FakeXhr.last.answer(200);
    await expect(done).resolves.toEqual({ etag: '"e1"' });
    expect(FakeXhr.last.method).toBe('PUT');
    expect(FakeXhr.last.url).toBe(`${location.origin}/api/blob/t/a.txt`);
    expect(FakeXhr.last.headers).toEqual({ 'Content-Type': 'text/plain' });
    expect(FakeXhr.last.body).toBe(body);
  });

  it('sends to an absolute address as it stands', () => {
    void putBytes({ url: 'https://s3.example/b/k?sig=1', body }).catch(() => {});
    expect(FakeXhr.last.url).toBe('https://s3.example/b/k?sig=1');
  });

  it('reports progress and never more than the body', async () => {
    const seen: number[] = [];
    const done = putBytes({ url: '/x', body, onProgress: (sent) => seen.push(sent) });
    FakeXhr.last.upload.onprogress?.({ loaded: 4 });
    FakeXhr.last.upload.onprogress?.({ loaded: 400 });
    FakeXhr.last.answer(200);
    await done;
    expect(seen).toEqual([4, 10, 10]);
  });

  it('takes a missing ETag as it is', async () => {
    const done = putBytes({ url: '/x', body });
    FakeXhr.last.etag = null;
    FakeXhr.last.answer(200);
    await expect(done).resolves.toEqual({ etag: null });
  });

  it.each([
    ['a refusal', (xhr: FakeXhr) => xhr.answer(507), new UploadError('http', 507)],
    ['a lost connection', (xhr: FakeXhr) => xhr.onerror(), new UploadError('network')],
    ['a time limit', (xhr: FakeXhr) => xhr.ontimeout(), new UploadError('timeout')],
  ])('names %s', async (_, happen, want) => {
    const done = putBytes({ url: '/x', body });
    happen(FakeXhr.last);
    await expect(done).rejects.toEqual(want);
    await expect(done).rejects.toMatchObject({ failure: want.failure, status: want.status });
  });

  it('keeps what our server says of a refusal, and not what other storages say', async () => {
    const message = 'file size(5 MB), one may have at most 1 MB';
    const ours = putBytes({ url: '/x', body });
    FakeXhr.last.answer(413, JSON.stringify({ code: 413, message, error: 'too_large', data: { limit: 1 } }));
    await expect(ours).rejects.toMatchObject({
      failure: 'http',
      status: 413,
      said: { message, code: 'too_large', status: 413 },
    });
    for (const text of ['<Error><Code>EntityTooLarge</Code></Error>', 'null', '[]', '{"message":"x"}']) {
      const theirs = putBytes({ url: '/x', body });
      FakeXhr.last.answer(413, text);
      await expect(theirs).rejects.toMatchObject({ status: 413, said: undefined });
    }
  });

  it('stops when asked', async () => {
    const stop = new AbortController();
    const done = putBytes({ url: '/x', body, signal: stop.signal });
    stop.abort();
    await expect(done).rejects.toMatchObject({ failure: 'aborted' });
  });

  it('does not begin when it was stopped before', async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(putBytes({ url: '/x', body, signal: stop.signal })).rejects.toMatchObject({
      failure: 'aborted',
    });
  });

  it('gives up when no byte moves for five minutes, and not before', async () => {
    const done = putBytes({ url: '/x', body });
    const failed = expect(done).rejects.toMatchObject({ failure: 'timeout' });
    vi.advanceTimersByTime(partTimeout - 1);
    FakeXhr.last.upload.onprogress?.({ loaded: 1 });
    vi.advanceTimersByTime(partTimeout - 1);
    FakeXhr.last.upload.onprogress?.({ loaded: 2 });
    vi.advanceTimersByTime(partTimeout);
    await failed;
  });
});
