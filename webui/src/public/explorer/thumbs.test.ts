import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Entry } from '../../api/fs';
import { queryClient } from '../../shared/query/client';
import { fakeApi, refused } from '../../testing/fakeApi';
import { fetchThumb, thumbQuery } from './thumbs';

const picture = (number: number, more: Partial<Entry> = {}): Entry => ({
  name: `${number}.png`,
  path: `/m/${number}.png`,
  isDirectory: false,
  etag: `"${number}"`,
  ...more,
});
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);

/** show has a picture fetched as a tile does; the answer takes the tile away. */
const show = (entry: Entry) => new QueryObserver(queryClient, thumbQuery(entry)).subscribe(() => undefined);
const shown = (entry: Entry) => queryClient.getQueryData<string>(thumbQuery(entry).queryKey);

let made = 0;
const revoked: string[] = [];

beforeEach(() => {
  made = 0;
  revoked.length = 0;
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => `blob:${made++}`);
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void revoked.push(url));
  Image.prototype.decode = () => Promise.resolve();
});

afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(Image.prototype, 'decode');
});

describe('small pictures', () => {
  it('are fetched six at a time, what was asked for last first, and none that left the screen', async () => {
    const answers: (() => void)[] = [];
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(new URL(url, location.href).searchParams.get('path') ?? '');
      return new Promise((resolve) => answers.push(() => resolve(new Response('png'))));
    });
    const leave = numbers(10).map((number) => show(picture(number)));
    await vi.waitFor(() => expect(asked).toHaveLength(6));
    leave[8]?.();
    answers.shift()?.();
    answers.shift()?.();
    await vi.waitFor(() => expect(asked).toHaveLength(8));
    expect(asked.slice(6)).toEqual(['/m/9.png', '/m/7.png']);
    for (const answer of answers.splice(0)) answer();
    await vi.waitFor(() => expect(asked.at(-1)).toBe('/m/6.png'));
    for (const answer of answers) answer();
    await vi.waitFor(() => expect(shown(picture(6))).toBeTruthy());
    expect(asked).not.toContain('/m/8.png');
    for (const end of leave) end();
  });

  it('are let go of, the oldest first, when 400 others are kept', async () => {
    fakeApi({ 'GET /fs/thumbnail': () => new Response('png') });
    const all = numbers(402).map((number) => picture(number));
    const leave = all.map(show);
    await vi.waitFor(() => expect(all.every(shown)).toBe(true));
    const oldest = all.slice(0, 2).map(shown);
    for (const end of leave) end();
    expect(revoked).toEqual(oldest);
    expect(all.map(shown).filter(Boolean)).toHaveLength(400);
    expect(shown(picture(1))).toBeUndefined();
  });

  it('leave no address behind when they are fetched again or forgotten', async () => {
    fakeApi({ 'GET /fs/thumbnail': () => new Response('png') });
    const leave = show(picture(1));
    await vi.waitFor(() => expect(shown(picture(1))).toBe('blob:0'));
    fetchThumb(picture(1));
    await vi.waitFor(() => expect(shown(picture(1))).toBe('blob:1'));
    expect(revoked).toEqual(['blob:0']);
    void queryClient.resetQueries();
    expect(revoked).toEqual(['blob:0', 'blob:1']);
    leave();
  });

  it('wait to be asked for where they are large and the server makes none', async () => {
    const large = picture(1, { path: '/m/1.svg', size: 9 << 20 });
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('no picture of points')));
    const server = fakeApi({ 'GET /fs/download': () => new Response('<svg/>') });
    const leave = show(large);
    await vi.waitFor(() => expect(shown(large)).toBe(''));
    expect(server.calls).toEqual([]);
    fetchThumb(large);
    await vi.waitFor(() => expect(shown(large)).toBe('blob:0'));
    leave();
  });

  it('fail where the server refuses them, and are fetched when somebody asks again', async () => {
    const answers = [refused(500, 'internal'), new Response('png')];
    fakeApi({ 'GET /fs/thumbnail': () => answers.shift() ?? '' });
    const leave = show(picture(1));
    const state = () => queryClient.getQueryState(thumbQuery(picture(1)).queryKey);
    await vi.waitFor(() => expect(state()?.status).toBe('error'));
    fetchThumb(picture(1));
    await vi.waitFor(() => expect(shown(picture(1))).toBeTruthy());
    leave();
  });
});
