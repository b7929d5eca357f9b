import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadAreas, t } from '../../i18n';
import type { EditorHandle } from '../../shared/editor/editor';
import { closeToast, toasts } from '../../shared/ui/toasts';
import { UploadError } from '../../shared/uploader/errors';
import type { TransferHooks } from '../../shared/uploader/share';
import { listedAt, uploads } from '../../shared/uploader/uploads';
import { data, fakeApi } from '../../testing/fakeApi';
import { attach, markdownFor } from './attach';
import { field } from './tray';

const sending = vi.hoisted(() => vi.fn());
vi.mock('../../shared/uploader/shareParts', () => ({ shareInParts: sending }));

let inserted: string[] = [];
const editor = {
  apply: (mark) => inserted.push(mark('', 0, 0).insert),
} as Partial<EditorHandle> as EditorHandle;

beforeEach(async () => {
  fakeApi({ 'GET /s3-configs': data([{ id: 'c1', name: 'Disk', is_default: 1 }]) });
  await loadAreas('editor', 'file', 'homeMore');
  inserted = [];
  field.set(editor);
});

afterEach(() => {
  uploads.reset();
  for (const { id } of toasts.get()) closeToast(id);
  sending.mockReset();
  vi.unstubAllGlobals();
});

/** soon waits for what a busy machine may take long for. */
const soon = (holds: () => void) => vi.waitFor(holds, 60_000);

const press = (label: string) =>
  soon(() => {
    const action = toasts
      .get()
      .flatMap(({ actions }) => actions)
      .find((one) => one.label === label);
    if (!action) throw new Error(`no ${label}`);
    action.run();
  });

function filmOf(name: string): File {
  const file = new File(['x'], name, { type: 'video/mp4', lastModified: 1 });
  Object.defineProperty(file, 'size', { value: 100 * 2 ** 20 });
  return file;
}

it('sends a large file in parts, tells how far it is, pauses and goes on', async () => {
  const film = filmOf('film.mp4');
  sending.mockImplementationOnce(
    async (_file: File, _request: unknown, { signal, onSent }: TransferHooks) => {
      onSent(10 * 2 ** 20);
      onSent(30 * 2 ** 20);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new UploadError('aborted');
    },
  );
  sending.mockResolvedValueOnce({ slug: 's1' });
  await attach([film], t);
  await soon(() => expect(toasts.get()[0]?.text).toBe('Uploading “film.mp4”: 25%'));
  const leaving = new Event('beforeunload', { cancelable: true });
  dispatchEvent(leaving);
  expect(leaving.defaultPrevented).toBe(true);
  await press('Pause');
  await soon(() =>
    expect(toasts.get().map(({ text }) => text)).toEqual([
      '“film.mp4” is paused. You can also resume it on the Upload page.',
    ]),
  );
  expect(inserted).toEqual([]);
  await press('Resume');
  await soon(() => expect(inserted).toEqual([markdownFor(film, 's1')]));
  expect(sending).toHaveBeenCalledTimes(2);
  expect(uploads.get().items).toEqual([]);
});

it('goes on by itself when the network is back, and inserts files in the order they were chosen in', async () => {
  const [first, second] = [filmOf('first.mp4'), filmOf('second.mp4')];
  sending.mockRejectedValueOnce(new UploadError('network'));
  sending.mockImplementation((file: File) => Promise.resolve({ slug: file.name }));
  await attach([first, second], t);
  await soon(() => expect(inserted).toEqual([markdownFor(second, 'second.mp4')]));
  expect(toasts.get().some(({ text }) => text.startsWith('“first.mp4” couldn’t be attached.'))).toBe(true);
  dispatchEvent(new Event('online'));
  await soon(() => expect(inserted).toContain(markdownFor(first, 'first.mp4')));
  expect(toasts.get().filter(({ kind }) => kind === 'error')).toEqual([]);

  inserted.length = 0;
  sending.mockImplementationOnce(async (file: File) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { slug: file.name };
  });
  await attach([first, second], t);
  await soon(() =>
    expect(inserted).toEqual([`${markdownFor(first, 'first.mp4')}\n${markdownFor(second, 'second.mp4')}`]),
  );
});

it('keeps what arrives while its text is closed on the list, and gives the rest to the editor that is open then', async () => {
  const arrive: (() => void)[] = [];
  sending.mockImplementation(
    (file: File) => new Promise((resolve) => arrive.push(() => resolve({ slug: file.name }))),
  );
  await attach([filmOf('early.mp4')], t);
  // Once more is told, not sent.
  await attach([filmOf('early.mp4')], t);
  expect(toasts.get().map(({ text }) => text)).toContain(t('homeMore.files.twice', { name: 'early.mp4' }));
  field.set(undefined);
  await attach([filmOf('late.mp4')], t);
  await soon(() => expect(arrive).toHaveLength(2));
  arrive[0]?.();
  await soon(() =>
    expect(listedAt('share', uploads.get().items)).toMatchObject([
      { name: 'early.mp4', to: 'share', status: 'success' },
      { name: 'late.mp4', to: 'text' },
    ]),
  );
  expect(toasts.get().some(({ text }) => text.startsWith('“early.mp4” was uploaded while'))).toBe(true);
  expect(toasts.get().some(({ text }) => text === '“early.mp4” attached')).toBe(false);
  field.set({ ...editor });
  arrive[1]?.();
  await soon(() =>
    expect(inserted).toEqual([markdownFor({ name: 'late.mp4', type: 'video/mp4' }, 'late.mp4')]),
  );
  expect(uploads.get().items.map(({ name }) => name)).toEqual(['early.mp4']);
});

it.each([
  ['a [1].pdf', 'application/pdf', '[a \\[1\\].pdf](http://localhost:3000/file/x1)'],
  ['pier.png', 'image/png', '![pier.png](http://localhost:3000/api/file-view/x1#pier.png)'],
  [
    '港 口.mp4',
    'video/mp4',
    '![港 口.mp4](http://localhost:3000/api/file-view/x1#%E6%B8%AF%20%E5%8F%A3.mp4)',
  ],
])('writes %s so that the reader sees or finds it', (name, type, want) => {
  expect(markdownFor({ name, type }, 'x1')).toBe(want);
});
