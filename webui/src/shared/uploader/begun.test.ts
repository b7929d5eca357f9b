import { beforeEach, describe, expect, it, vi } from 'vitest';
import { adminSession, show } from '../../auth/session';
import { ownPrefix } from '../../config';
import type { Begun } from './begun';

const week = 7 * 86_400_000;
const kept = () => Object.keys(localStorage).filter((key) => key.startsWith(ownPrefix));

function note(id: string, more: Partial<Begun> = {}) {
  const begun: Begun = {
    id,
    page: 'another',
    to: 'mount',
    folder: '/m',
    name: id,
    fileName: id,
    size: 3,
    modified: 1,
    ends: '',
    owner: 'admin',
    at: Date.now(),
    file_id: '',
    upload_id: '',
    ...more,
  };
  localStorage.setItem(`${ownPrefix}begun.${id}`, JSON.stringify(begun));
  return begun;
}

const namesOf = (list: readonly Begun[]) => list.map(({ name }) => name).toSorted();

describe('unfinished uploads', () => {
  beforeEach(() => {
    localStorage.clear();
    vi.resetModules();
    show(adminSession());
  });

  it('are those of the account, for a week, and nonsense is none', async () => {
    note('a', { to: 'share', folder: '' });
    note('b');
    note('old', { at: Date.now() - week - 1 });
    note('theirs', { owner: 'key' });
    note('guest', { owner: '' });
    note('sent', { owner: '', to: 'request', folder: 'r' });
    for (const [name, text] of Object.entries({ x: 'x', list: '[1]', half: '{"id":"half","to":"mount"}' }))
      localStorage.setItem(`${ownPrefix}begun.${name}`, text);
    const { begunUploads } = await import('./begun');
    (await import('../../auth/session')).show(adminSession());
    expect(namesOf(begunUploads())).toEqual(['a', 'b', 'sent']);
    expect(kept()).toHaveLength(5);
  });

  it('of the version before are taken over, or dropped where nothing proves the file', async () => {
    const before = {
      file_id: 'f',
      upload_id: 'u',
      slug: 's',
      name: 'share',
      fileName: 'share',
      size: 3,
      modified: 1,
      ends: 'x-x',
      owner: 'admin',
      at: Date.now(),
    };
    localStorage.setItem(`${ownPrefix}shareUploads`, JSON.stringify([before, null, { file_id: 1 }]));
    localStorage.setItem(`${ownPrefix}mountUploads`, '[{"uploadId":"u","path":"/m/a"}]');
    localStorage.setItem(`${ownPrefix}moving:abc`, '{"at":1}');
    const { begunUploads } = await import('./begun');
    (await import('../../auth/session')).show(adminSession());
    expect(begunUploads()).toMatchObject([
      { to: 'share', folder: '', name: 'share', file_id: 'f', upload_id: 'u', ends: 'x-x' },
    ]);
    expect(kept()).toHaveLength(1);
  });

  it('that another open page is at are not offered, and are once it is closed', async () => {
    const other = new BroadcastChannel('pp-uploads');
    const answer = ({ data }: MessageEvent<{ page?: string }>) =>
      data.page === undefined && other.postMessage({ page: 'open' });
    other.addEventListener('message', answer);
    note('running', { page: 'open' });
    note('left', { page: 'closed' });
    const { lookForBegun } = await import('./begun');
    (await import('../../auth/session')).show(adminSession());
    const { renderHook, waitFor } = await import('@testing-library/react');
    const { useUnfinished } = await import('./useUnfinished');
    const { result } = renderHook(() => useUnfinished());
    await waitFor(() => expect(namesOf(result.current)).toEqual(['left']));
    other.removeEventListener('message', answer);
    other.close();
    lookForBegun();
    await waitFor(() => expect(namesOf(result.current)).toEqual(['left', 'running']));
  });

  it('to a request are listed on its own page alone', async () => {
    note('chart', { to: 'share', folder: '' });
    note('inbox', { to: 'request', folder: 'abc', upload_id: 'f1' });
    note('elsewhere', { to: 'request', folder: 'def', upload_id: 'f2' });
    note('theirs', { to: 'request', folder: 'abc', upload_id: 'f3', owner: 'key' });
    await import('./begun');
    (await import('../../auth/session')).show(adminSession());
    const { renderHook, waitFor } = await import('@testing-library/react');
    const { useUnfinished } = await import('./useUnfinished');
    const { result } = renderHook(() => ({ all: useUnfinished(), abc: useUnfinished('abc') }));
    await waitFor(() => expect(namesOf(result.current.all)).toEqual(['chart']));
    expect(namesOf(result.current.abc)).toEqual(['inbox']);
  });

  it('are noted while they run, and not when they have ended', async () => {
    const put = vi.fn();
    vi.doMock('./put', async (original) => ({ ...(await original<object>()), putBytes: put }));
    let end: (etag: { etag: null }) => void = () => {};
    put.mockReturnValue(new Promise((resolve) => (end = resolve)));
    const { sendToMount } = await import('./transfers');
    const { uploads } = await import('./uploads');
    uploads.add([{ file: new File(['x'], 'a.bin'), folder: '/m', to: 'mount' }]);
    uploads.start(sendToMount(() => ({ method: 'direct' })));
    await vi.waitFor(() => expect(put).toHaveBeenCalled());
    expect(kept()).toHaveLength(1);
    expect(localStorage.getItem(kept()[0] ?? '')).toContain('a.bin');
    end({ etag: null });
    await vi.waitFor(() => expect(kept()).toEqual([]));
    vi.doUnmock('./put');
  });
});

describe('the proof that a file is the same', () => {
  it('sums up both ends, which overlap in a small file', async () => {
    const { endsOf } = await import('./begun');
    expect(await endsOf(new Blob(['abc']))).toBe(
      '900150983cd24fb0d6963f7d28e17f72-900150983cd24fb0d6963f7d28e17f72',
    );
  });

  it('is the same for shares, mounts and requests; of a file that goes whole name and size are enough', async () => {
    const { endsOf, isFileOf } = await import('./begun');
    const file = new File(['abc'], 'a.bin', { lastModified: 1 });
    const ends = await endsOf(file);
    const other = new File(['abd'], 'a.bin', { lastModified: 1 });
    for (const to of ['share', 'mount', 'request'] as const) {
      const begun = note('a', { to, fileName: 'a.bin', ends, upload_id: 'u' });
      expect(await isFileOf(begun, file)).toBe(true);
      expect(await isFileOf(begun, other)).toBe(false);
    }
    const whole = note('a', { fileName: 'a.bin' });
    expect(await isFileOf(whole, other)).toBe(true);
    expect(await isFileOf(whole, new File(['abcd'], 'a.bin'))).toBe(false);
  });
});
