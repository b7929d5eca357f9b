import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { data, fakeApi, refused, type Routes } from '../../testing/fakeApi';
import type { UrlInfo } from '../../api/urls';
import { isCancelled } from './errors';
import { shareRemote, type RemoteMethod, type RemoteStep } from './remote';

const puts: { url: string; size: number }[] = [];

// Every PUT arrives, but those to addresses with "fail".
class FakeXhr {
  upload: { onprogress?: (event: { loaded: number }) => void } = {};
  status = 0;
  private url = '';
  onload = () => {};
  open(_: string, url: string) {
    this.url = url;
  }
  setRequestHeader() {}
  getResponseHeader = () => `"e${puts.length}"`;
  abort() {}
  send(body: Blob) {
    setTimeout(() => {
      puts.push({ url: this.url, size: body.size });
      this.upload.onprogress?.({ loaded: body.size });
      this.status = this.url.includes('fail') ? 403 : 200;
      this.onload();
    });
  }
}

const info: UrlInfo = {
  url: 'https://far.example/a.bin',
  filename: 'a.bin',
  contentType: 'x/y',
  size: 5,
  type: 0,
  typeName: 'unknown',
  method: 'HEAD',
  lastModified: null,
  corsSupported: false,
};
const whole: Routes = {
  'GET /a.bin': new Response('hello'),
  'POST /url/presign': data({ file_id: 'f', upload_url: '/put', slug: 's', contentType: 'x/y' }),
  'POST /url/commit': data({ slug: 's' }),
  'POST /url/cancel': data({}),
  'POST /url/multipart/init': data({
    file_id: 'f',
    upload_id: 'u',
    presigned_urls: [{ partNumber: 1, url: '/part1' }],
  }),
  'POST /url/multipart/complete': data({ slug: 's' }),
  'POST /url/multipart/abort': data({}),
};

function run(routes: Routes, method: RemoteMethod = 'auto', stop = new AbortController()) {
  const api = fakeApi({ ...whole, ...routes });
  const steps: RemoteStep[] = [];
  const done = shareRemote(info, { s3_config_id: 'c', filename: 'own.bin', slug: 's' }, method, {
    signal: stop.signal,
    onStep: (step) => steps.push(step),
  });
  return { api, steps, done, stop };
}

beforeEach(() => {
  puts.length = 0;
  vi.stubGlobal('XMLHttpRequest', FakeXhr);
});
afterEach(() => vi.unstubAllGlobals());

describe('a file from an address', () => {
  it('is downloaded directly, sent in one piece and committed', async () => {
    const { api, steps, done } = run({});
    expect(await done).toEqual({ slug: 's' });
    expect(api.calls.map(({ path }) => path)).toEqual(['/a.bin', '/url/presign', '/url/commit']);
    expect(api.calls[1]?.body).toEqual({
      s3_config_id: 'c',
      filename: 'own.bin',
      slug: 's',
      url: info.url,
      size: 5,
      metadata: { filename: 'a.bin', contentType: 'x/y', size: 5 },
    });
    expect(puts.map(({ size }) => size)).toEqual([5]);
    expect(steps[0]).toEqual({ stage: 'direct', percent: 0, moved: 0 });
    expect(steps.at(-1)).toEqual({ stage: 'completing', percent: 99, moved: 5, size: 5 });
    const percents = steps.map(({ percent }) => percent);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(steps.filter(({ stage }) => stage === 'direct').every(({ percent }) => percent <= 49)).toBe(true);
    expect(steps.filter(({ stage }) => stage === 'uploading').every(({ percent }) => percent >= 50)).toBe(
      true,
    );
  });

  it('comes through the server when the site cannot be read directly', async () => {
    const proxied = 'GET /url/proxy?url=https%3A%2F%2Ffar.example%2Fa.bin';
    for (const direct of [refused(403, 'no'), () => Promise.reject(new TypeError('CORS'))]) {
      const { steps, done } = run({ 'GET /a.bin': direct, [proxied]: new Response('hello') });
      expect(await done).toEqual({ slug: 's' });
      expect(steps.map(({ stage }) => stage)).toContain('proxied');
    }
  });

  it('fails when neither way works, before anything is announced', async () => {
    const { api, done } = run({ 'GET /a.bin': refused(500, 'x') });
    await expect(done).rejects.toMatchObject({ failure: 'fetch', status: 404 });
    expect(api.calls.some(({ path }) => path === '/url/presign')).toBe(false);
  });

  it('goes in parts when asked to', async () => {
    const { api, done } = run({}, 'parts');
    expect(await done).toEqual({ id: 'f', slug: 's' });
    expect(api.calls.at(-1)?.body).toEqual({
      file_id: 'f',
      upload_id: 'u',
      parts: [{ PartNumber: 1, ETag: '"e1"' }],
    });
  });

  it('leaves nothing behind when the storage refuses', async () => {
    const one = run({
      'POST /url/presign': data({ file_id: 'f', upload_url: '/fail', slug: 's', contentType: 'x/y' }),
    });
    await expect(one.done).rejects.toMatchObject({ failure: 'http', status: 403 });
    expect(one.api.calls.at(-1)).toMatchObject({ path: '/url/cancel', body: { file_id: 'f' } });
  });

  it('is given up in storage when it is cancelled', async () => {
    for (const [method, path] of [
      ['single', '/url/cancel'],
      ['parts', '/url/multipart/abort'],
    ] as const) {
      const stop = new AbortController();
      const begin = (answer: object) => () => {
        setTimeout(() => stop.abort());
        return data(answer);
      };
      const { api, done } = run(
        {
          'POST /url/commit': begin({}),
          'POST /url/multipart/complete': begin({}),
          'POST /url/presign': begin({ file_id: 'f', upload_url: '/fail', slug: 's', contentType: 'x/y' }),
          'POST /url/multipart/init': begin({
            file_id: 'f',
            upload_id: 'u',
            presigned_urls: [{ partNumber: 1, url: '/fail' }],
          }),
        },
        method,
        stop,
      );
      const error: unknown = await done.catch((reason: unknown) => reason);
      expect(isCancelled(error)).toBe(true);
      expect(api.calls.at(-1)?.path).toBe(path);
    }
  });
});
