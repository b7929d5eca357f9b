import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signInAdmin, signOut } from '../../auth/signIn';
import { loadAreas } from '../../i18n';
import { data, fakeApi, refused, type Routes } from '../../testing/fakeApi';
import { Questions } from '../../shared/ui';
import UploadPage from './index';
import { uploads } from '../../shared/uploader/uploads';

// Every PUT arrives, but those to addresses with "fail".
class FakeXhr {
  upload = {};
  status = 0;
  private url = '';
  onload = () => {};
  open(_: string, url: string) {
    this.url = url;
  }
  setRequestHeader() {}
  getResponseHeader = () => '"e"';
  abort() {}
  send() {
    setTimeout(() => {
      this.status = this.url.includes('fail') ? 500 : 200;
      this.onload();
    });
  }
}

const settings: Routes = {
  'POST /admin/login': data({ token: 't' }),
  'GET /s3-configs': data([
    { id: 'c1', name: 'Archive', provider_type: 'R2', is_default: 0 },
    { id: 'c2', name: 'Disk', provider_type: 'Local disk', is_default: 1 },
  ]),
  'GET /system/max-upload-size': data({ max_upload_size: 1 }),
  'GET /admin/settings': data([{ key: 'default_use_proxy', value: 'true' }]),
  'GET /files': data({ files: [], pagination: {} }),
};

const arriving: Routes = {
  'POST /s3/presign': ({ body }) => {
    const { filename, slug } = body as { filename: string; slug?: string };
    return data({
      file_id: filename,
      upload_url: `/api/blob/${filename}`,
      slug: slug ?? 'random',
      contentType: 'x',
    });
  },
  'POST /s3/commit': ({ body }) => {
    const { file_id: id } = body as { file_id: string };
    return data({ id, filename: id, slug: `s-${id}`, mimetype: '', type: 0, has_password: false });
  },
  'DELETE /files/batch-delete': data({ success: 1, failed: [] }),
};

async function open(routes: Routes = {}) {
  const api = fakeApi({ ...settings, ...arriving, ...routes });
  await signInAdmin('admin', 'pw');
  render(<UploadPage />);
  await screen.findByRole('button', { name: 'Upload' });
  return api;
}

const choose = (...files: File[]) => userEvent.upload(screen.getByTestId('files'), files);
const fileOf = (name: string, size = 3) => new File(['x'.repeat(size)], name, { lastModified: 1 });
const send = (count: number) =>
  userEvent.click(screen.getByRole('button', { name: `Upload ${count} file${count > 1 ? 's' : ''}` }));
const presigned = (api: { calls: { path: string; body: unknown }[] }) =>
  api.calls.filter(({ path }) => path === '/s3/presign').map(({ body }) => body as Record<string, unknown>);

beforeEach(async () => {
  vi.stubGlobal('XMLHttpRequest', FakeXhr);
  await loadAreas('file');
});

afterEach(async () => {
  act(() => {
    uploads.cancelAll();
    uploads.clear();
  });
  fakeApi({ 'POST /admin/logout': data(null) });
  await signOut();
  vi.unstubAllGlobals();
});

describe('the upload page', () => {
  it('shows the sign-in card to visitors', async () => {
    fakeApi({});
    render(<UploadPage />);
    expect(await screen.findByRole('link', { name: 'Sign in' })).toBeDefined();
    expect(screen.queryByTestId('files')).toBeNull();
  });

  it('says what to do when there is no storage', async () => {
    fakeApi({ ...settings, 'GET /s3-configs': data([]) });
    await signInAdmin('admin', 'pw');
    render(<UploadPage />);
    expect(await screen.findByText('No storage available')).toBeDefined();
  });

  it('uploads with the settings of the form and shows the link', async () => {
    const api = await open();
    await choose(fileOf('notes.md'));
    await userEvent.type(screen.getByLabelText(/^Folder/), 'a/b');
    await userEvent.type(screen.getByLabelText(/^Custom link/), 'mine');
    await userEvent.click(screen.getByRole('radio', { name: 'Direct' }));
    await send(1);
    const link = await screen.findByLabelText<HTMLInputElement>('Share link of notes.md');
    expect(link.value).toBe(`${location.origin}/file/s-notes.md`);
    expect(presigned(api)).toEqual([
      expect.objectContaining({
        s3_config_id: 'c2',
        filename: 'notes.md',
        size: 3,
        mimetype: 'text/markdown',
        path: 'a/b',
        slug: 'mine',
        use_proxy: false,
        expires_in: 0,
        max_views: 0,
      }),
    ]);
  });

  it('numbers the links of several files', async () => {
    const api = await open();
    await choose(fileOf('a'), fileOf('b'));
    await userEvent.type(screen.getByLabelText(/^Custom link/), 'mine');
    await send(2);
    await screen.findByLabelText('Share link of b');
    expect(presigned(api).map(({ slug }) => slug)).toEqual(['mine-1', 'mine-2']);
  });

  it('makes one link for all files, with the settings of the form', async () => {
    const api = await open({
      'POST /collections': ({ body }) => {
        const { title, file_ids: ids } = body as { title: string; file_ids: string[] };
        return data({ id: 'c1', slug: 'all', title, items: ids.map((id) => ({ id })) });
      },
      'GET /notifications/shares/c1': data({ tell: false }),
      'PUT /notifications/shares/c1': data({ tell: true }),
      'GET /notifications/channels': data([]),
    });
    render(<Questions />);
    await choose(fileOf('a.txt'), fileOf('b.txt'));
    await send(2);
    await userEvent.type(await screen.findByLabelText(/^Title/), 'Trip');
    await userEvent.click(await screen.findByRole('button', { name: 'One link for all' }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Make one link for 2 files?' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'One link for all' }));
    const link = await screen.findByRole('textbox', { name: 'Share link of Trip' });
    expect((link as HTMLInputElement).value).toMatch(/\/collection\/all$/);
    expect(screen.queryByRole('textbox', { name: 'Share link of a.txt' })).toBeNull();
    const tell = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'Tell me when it’s opened' });
    await waitFor(() => expect(tell.disabled).toBe(false));
    await userEvent.click(tell);
    await waitFor(() => expect(api.count('PUT', '/notifications/shares/c1')).toBe(1));
    const [made] = api.calls.filter(({ path }) => path === '/collections');
    expect(made?.body).toMatchObject({ file_ids: ['a.txt', 'b.txt'], title: 'Trip' });
  });

  it('leads to a wrong limit of downloads, and sends none that cannot be seen', async () => {
    const api = await open({
      'POST /collections': ({ body }) =>
        data({ id: 'c1', slug: 'all', title: 'All', items: [], asked: body }),
    });
    render(<Questions />);
    await choose(fileOf('a.txt'), fileOf('b.txt'));
    await userEvent.click(screen.getByRole('radio', { name: 'One link for all' }));
    const limit = await screen.findByLabelText(/^Download limit/);
    await userEvent.type(limit, '7x');
    await send(2);
    await waitFor(() => expect(document.activeElement).toBe(limit));
    expect(screen.getByText('Enter a number from 0 to 999,999')).toBeDefined();
    expect(presigned(api)).toEqual([]);
    await userEvent.type(limit, '{Backspace}');
    await userEvent.click(screen.getByRole('radio', { name: 'A link for each file' }));
    await send(2);
    await userEvent.click(await screen.findByRole('button', { name: 'One link for all' }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Make one link for 2 files?' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'One link for all' }));
    await screen.findByRole('textbox', { name: 'Share link of All' });
    const [made] = api.calls.filter(({ path }) => path === '/collections');
    expect(made?.body).toMatchObject({ file_ids: ['a.txt', 'b.txt'] });
    expect(made?.body).not.toHaveProperty('max_downloads');
  });

  it('names each file that is too large or on the list already', async () => {
    await open();
    await choose(fileOf('a'), fileOf('big', (1 << 20) + 1));
    await choose(fileOf('a'));
    expect(screen.getByText('a is already in the list.')).toBeDefined();
    await choose(fileOf('bigger', (1 << 20) + 2));
    expect(screen.getByText('bigger is 1,048,578 B; the limit is 1,048,576 B.')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Upload 1 file' })).toBeDefined();
  });

  it('no longer says of a file that has been shared that it is in the list', async () => {
    await open();
    await choose(fileOf('a'), fileOf('big', (1 << 20) + 1));
    await choose(fileOf('a'), fileOf('big', (1 << 20) + 1));
    await send(1);
    await screen.findByText('Shared files');
    expect(screen.queryByText('a is already in the list.')).toBeNull();
    expect(screen.getByText('big is 1,048,577 B; the limit is 1,048,576 B.')).toBeDefined();
  });

  it('asks for files when there are none, and refuses folders that leave the storage', async () => {
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Upload' }));
    expect(screen.getByText('Choose files first')).toBeDefined();
    await choose(fileOf('a'));
    const folder = screen.getByLabelText(/^Folder/);
    await userEvent.type(folder, '../x');
    await send(1);
    expect(folder.getAttribute('aria-invalid')).toBe('true');
    await waitFor(() => expect(document.activeElement).toBe(folder));
  });

  it('keeps a failed file with its reason, deletes its record, and can try again', async () => {
    let broken = true;
    const api = await open({
      'POST /s3/presign': () =>
        data({ file_id: 'id-1', upload_url: broken ? '/fail' : '/ok', slug: 's', contentType: 'x' }),
    });
    await choose(fileOf('a'));
    await send(1);
    expect(await screen.findByText('Upload failed: 500')).toBeDefined();
    await waitFor(() =>
      expect(api.calls.find(({ method }) => method === 'DELETE')?.body).toEqual({
        ids: ['id-1'],
        delete_mode: 'both',
      }),
    );
    broken = false;
    await userEvent.click(screen.getByRole('button', { name: 'Try a again' }));
    expect(await screen.findByText('Shared files')).toBeDefined();
  });

  it('sends a file again as it was sent, whatever was chosen for several before it', async () => {
    let broken = false;
    const api = await open({
      'POST /collections': data({ id: 'c1', slug: 'all', title: 'All', items: [] }),
      'POST /s3/presign': ({ body }) => {
        const { filename } = body as { filename: string };
        return data({
          file_id: filename,
          upload_url: broken ? '/fail' : '/ok',
          slug: filename,
          contentType: 'x',
        });
      },
    });
    await choose(fileOf('a'), fileOf('b'));
    await userEvent.click(screen.getByRole('radio', { name: 'One link for all' }));
    await send(2);
    await screen.findByRole('textbox', { name: 'Share link of All' });

    broken = true;
    await choose(fileOf('c'));
    await userEvent.type(screen.getByLabelText(/^Custom link/), 'mine');
    await send(1);
    const again = await screen.findByRole('button', { name: 'Try c again' });
    broken = false;
    await userEvent.click(again);
    await screen.findByLabelText('Share link of c');
    expect(presigned(api).map(({ slug }) => slug)).toEqual([undefined, undefined, 'mine', 'mine']);
  });

  it('goes on by itself when the network is back', async () => {
    let broken = true;
    await open({
      'POST /s3/presign': () => {
        if (broken) throw new TypeError('Failed to fetch');
        return data({ file_id: 'id-1', upload_url: '/ok', slug: 's', contentType: 'x' });
      },
    });
    await choose(fileOf('a'));
    await send(1);
    expect(await screen.findByRole('button', { name: 'Try a again' })).toBeDefined();
    broken = false;
    act(() => void dispatchEvent(new Event('online')));
    expect(await screen.findByText('Shared files')).toBeDefined();
  });

  it('says that a link is taken', async () => {
    await open({ 'POST /s3/presign': refused(409, 'slug_taken') });
    await choose(fileOf('a'));
    await send(1);
    expect(await screen.findByText('This link is taken. Choose another one.')).toBeDefined();
  });

  it('takes a file off the list with the Delete key, but not while its name is edited', async () => {
    await open();
    await choose(fileOf('a'));
    screen.getByLabelText('Name of a').focus();
    await userEvent.keyboard('{Delete}');
    screen.getByRole('button', { name: 'Remove a' }).focus();
    await userEvent.keyboard('{Delete}');
    expect(screen.queryByLabelText('Name of a')).toBeNull();
  });

  it('offers what was interrupted, finishes what had arrived whole, and forgets what the server forgot', async () => {
    const note = (id: string, name: string) => ({
      id,
      page: 'closed',
      to: 'share',
      folder: '',
      file_id: id,
      upload_id: 'u',
      name,
      fileName: name,
      size: 30,
      modified: 1,
      ends: 'x-x',
      owner: 'admin',
      at: Date.now(),
    });
    const others = { ...note('f4', 'theirs.bin'), owner: 'key' };
    for (const one of [note('f1', 'half.bin'), note('f2', 'whole.bin'), note('f3', 'gone.bin'), others])
      localStorage.setItem(`pp.own.begun.${one.id}`, JSON.stringify(one));
    const parts = (size: number) => data({ parts: [{ partNumber: 1, etag: '"e"', size }] });
    const api = await open({
      'POST /s3/multipart/list-parts': ({ body }) => {
        const { file_id: id } = body as { file_id: string };
        return id === 'f3' ? refused(404, 'upload_not_found') : parts(id === 'f1' ? 10 : 30);
      },
      'POST /s3/multipart/complete': data({ id: 'f2', slug: 'f2' }),
      'POST /s3/multipart/abort': data({ success: true }),
    });
    expect(await screen.findByText('10 B of 30 B uploaded')).toBeDefined();
    await waitFor(() => expect(screen.queryByText('gone.bin')).toBeNull());
    expect(screen.queryByText('theirs.bin')).toBeNull();

    await userEvent.upload(screen.getByTestId('resume half.bin'), fileOf('half.bin', 30));
    expect(await screen.findByText(/That’s a different file/)).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Share it' }));
    await waitFor(() => expect(screen.queryByText('whole.bin')).toBeNull());
    expect(api.calls.find(({ path }) => path === '/s3/multipart/complete')?.body).toEqual({
      file_id: 'f2',
      upload_id: 'u',
    });
  });

  it('forgets the list at sign-out', async () => {
    await open();
    await choose(fileOf('a'));
    await act(signOut);
    expect(uploads.get().items).toEqual([]);
  });

  it('asks for the three newest files and shows them', async () => {
    const row = (n: number) => ({
      id: `id-${n}`,
      slug: `s${n}`,
      filename: `file-${n}`,
      size: 10,
      mimetype: 'text/plain',
      views: 0,
      max_views: 2,
      has_password: false,
      created_at: '2026-11-21T00:00:00.000Z',
      type: 4,
    });
    const api = await open({ 'GET /files': data({ files: [1, 2, 3].map(row), pagination: {} }) });
    const table = await screen.findByRole('table');
    expect(within(table).getAllByRole('row')).toHaveLength(4);
    expect(api.calls.find(({ path }) => path.startsWith('/files?'))?.path).toBe('/files?limit=3');
    expect(within(table).getByRole('link', { name: 'file-2' })).toBeDefined();
  });
});
