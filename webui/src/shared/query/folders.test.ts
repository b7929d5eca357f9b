import { QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Entry } from '../../api/fs';
import { data, fakeApi, refused, type Routes } from '../../testing/fakeApi';
import { queryClient } from './client';
import { folderChanged, folderQuery, foldersChanged, foldersGone, marksQuery, showEdit } from './folders';

const entry = (path: string): Entry => ({
  name: path.split('/').filter(Boolean).at(-1) ?? '',
  path,
  isDirectory: path.endsWith('/'),
});
const listing = (...items: Entry[]) => ({ path: '/m/', isDirectory: true, isVirtual: false, items });
const put = (path: string, ...items: Entry[]) =>
  queryClient.setQueryData(folderQuery(path).queryKey, { listing: listing(...items), at: 1, age: 0 });
const kept = (path: string) => queryClient.getQueryData(folderQuery(path).queryKey);
const names = (path: string) => kept(path)?.listing.items.map(({ name }) => name);

let ends: (() => void)[] = [];

/** look shows a folder and its shares, as the explorer does. */
async function look(routes: Routes) {
  const api = fakeApi(routes);
  const folder = new QueryObserver(queryClient, folderQuery('/m'));
  ends.push(folder.subscribe(() => undefined));
  await vi.waitFor(() => expect(folder.getCurrentResult().isFetching).toBe(false));
  return { api, folder };
}

afterEach(() => {
  ends.forEach((end) => end());
  ends = [];
  queryClient.clear();
  vi.unstubAllGlobals();
});

const list = 'GET /fs/list?path=%2Fm';

describe('a folder', () => {
  it('shows a change at once and takes it back', async () => {
    put('/m', entry('/m/a'));
    const undo = await showEdit('/m', (items) => [...items, entry('/m/b')]);
    expect(names('/m')).toEqual(['a', 'b']);
    undo();
    expect(names('/m')).toEqual(['a']);
  });

  it('does not let an answer from before a change undo it', async () => {
    let answer: (body: object) => void = () => undefined;
    const { api } = await look({ [list]: data(listing(entry('/m/a'))) });
    fakeApi({ [list]: () => new Promise<object>((resolve) => (answer = resolve)) });
    void foldersChanged();
    await showEdit('/m', () => []);
    answer(data(listing(entry('/m/a'))));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(names('/m')).toEqual([]);
    expect(api.count('GET', '/fs/list?path=%2Fm')).toBe(1);
  });

  it('goes with all below it, but not with its neighbour, and the one on the screen is read again', async () => {
    const { api } = await look({ [list]: data(listing()) });
    for (const path of ['/m/d', '/m/d/e', '/m/dd', '/m/f']) put(path);
    await foldersGone(['/m/d', '/m/f']);
    expect(['/m/d', '/m/d/e', '/m/dd', '/m/f'].filter((path) => kept(path) !== undefined)).toEqual(['/m/dd']);
    expect(api.count('GET', '/fs/list?path=%2Fm')).toBe(2);
  });

  it('is asked of the storage itself once when somebody wants that', async () => {
    const { api } = await look({
      [list]: data(listing()),
      [`${list}&refresh=true`]: data(listing(entry('/m/a'))),
    });
    await folderChanged('/m', true);
    expect(names('/m')).toEqual(['a']);
    await folderChanged('/m');
    expect(names('/m')).toEqual([]);
    expect(api.calls.map(({ path }) => path)).toEqual([
      '/fs/list?path=%2Fm',
      '/fs/list?path=%2Fm&refresh=true',
      '/fs/list?path=%2Fm',
    ]);
  });

  it('stays as it was, with the reason, when it cannot be read again', async () => {
    const { folder } = await look({ [list]: data(listing(entry('/m/a'))) });
    fakeApi({ [list]: refused(503, 'storage_unavailable') });
    await folderChanged('/m');
    expect(names('/m')).toEqual(['a']);
    expect(folder.getCurrentResult().error).toMatchObject({ code: 'storage_unavailable' });
  });

  it('has its shares read again with it', async () => {
    const { api } = await look({ [list]: data(listing()), 'GET /fs/shares?path=%2Fm': data({ shares: [] }) });
    const marks = new QueryObserver(queryClient, marksQuery('/m'));
    ends.push(marks.subscribe(() => undefined));
    await vi.waitFor(() => expect(marks.getCurrentResult().isFetching).toBe(false));
    await folderChanged('/m');
    await vi.waitFor(() => expect(api.count('GET', '/fs/shares?path=%2Fm')).toBe(2));
  });
});
