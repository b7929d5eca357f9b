import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signInAdmin, signOut } from '../../auth/signIn';
import type { PublicFile } from '../../api/types';
import { loadAreas } from '../../i18n';
import { Questions } from '../../shared/ui';
import { data, fakeApi, type Routes } from '../../testing/fakeApi';
import { Facts } from './Facts';
import FilePage from './index';

const file = {
  id: 'id-1',
  slug: 'f1',
  filename: '港口.png',
  mimetype: 'image/png',
  size: 2048,
  remark: 'The pier',
  created_at: '2026-11-21T00:00:00.000Z',
  requires_password: false,
  views: 1,
  max_views: null,
  expires_at: null,
  use_proxy: 1,
  created_by: 'a1',
  type: 5,
  typeName: 'image',
  previewUrl: '/api/file-view/f1?ticket=t1',
  downloadUrl: '/api/file-download/f1?ticket=t1',
  proxy_preview_url: '/api/file-view/f1?ticket=t1',
  proxy_download_url: '/api/file-download/f1?ticket=t1',
};
const peek = { slug: 'f1', requires_password: false, isLastView: false };

function open(over: Partial<typeof file> = {}, routes: Routes = {}) {
  const api = fakeApi({
    'GET /public/files/f1?peek=1': data(peek),
    'GET /public/files/f1': data({ ...file, ...over }),
    ...routes,
  });
  render(
    <>
      <FilePage slug="f1" />
      <Questions />
    </>,
  );
  return api;
}

const textFile = { filename: 'a.txt', mimetype: 'text/plain', type: 4 };

beforeEach(async () => {
  await loadAreas('shareGate');
});

afterEach(async () => {
  vi.useRealTimers();
  fakeApi({});
  await signOut();
  vi.unstubAllGlobals();
});

describe('an open file', () => {
  it('shows its name and facts, with the download first and its address unchanged', async () => {
    const api = open();
    expect(await screen.findByRole('heading', { level: 1, name: '港口.png' })).toBeDefined();
    const actions = within(screen.getByRole('group', { name: 'Actions' }));
    const first = actions.getByRole('link', { name: 'Download' });
    expect(first.parentElement?.firstElementChild).toBe(first);
    expect(first.getAttribute('href')).toBe('/api/file-download/f1?ticket=t1');
    expect((await screen.findByRole('img', { name: '港口.png' })).getAttribute('src')).toBe(
      '/api/file-view/f1?ticket=t1',
    );
    expect(screen.getByText('The pier')).toBeDefined();
    expect(api.count('GET', '/public/files/f1')).toBe(1);
  });

  it('offers the download once, also where nothing can be shown', async () => {
    open({ filename: 'harbour.xyz', mimetype: 'application/x-unheard-of', type: 0 });
    expect(await screen.findByText(/^No preview for this file type/)).toBeDefined();
    expect(screen.getAllByRole('link', { name: 'Download' })).toHaveLength(1);
  });

  it('shows no part of a checksum, with which nobody could compare anything', async () => {
    const half = '5891b5b522d5df086d0ff0b110fbd9d2';
    const whole = '9e107d9d372bb6826bd81d3542a419d6-2';
    const { unmount } = render(
      <Facts file={{ ...(file as PublicFile), checksum: { algorithm: 'sha256-128', value: half } }} />,
    );
    expect(screen.getByText('Views')).toBeDefined();
    expect(screen.queryByText(/5891b5|SHA/)).toBeNull();
    unmount();
    render(<Facts file={{ ...(file as PublicFile), checksum: { algorithm: 'etag', value: whole } }} />);
    expect(screen.getByText(whole)).toBeDefined();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Copy checksum' }));
    expect(await navigator.clipboard.readText()).toBe(whole);
  });

  it('loads a big picture only when asked', async () => {
    open({ size: 21 << 20 });
    await userEvent.click(await screen.findByRole('button', { name: 'Load preview' }));
    expect(await screen.findByRole('img', { name: '港口.png' })).toBeDefined();
  });

  it('shows hostile names as text', async () => {
    open({ filename: '<img src=x onerror=alert(1)>.bin', type: 0, mimetype: '', remark: '<b>x</b>' });
    expect(await screen.findByRole('heading', { name: '<img src=x onerror=alert(1)>.bin' })).toBeDefined();
    expect(document.querySelector('img, b')).toBeNull();
  });

  it('reads a text once and decodes it again in another encoding', async () => {
    const bytes = new Uint8Array([0xc4, 0xe3, 0xba, 0xc3]);
    const api = open(textFile, { 'GET /file-view/f1': new Response(bytes) });
    await userEvent.selectOptions(await screen.findByLabelText('Encoding'), 'gb18030');
    expect(await screen.findByText('你好')).toBeDefined();
    expect(api.calls.filter(({ path }) => path.startsWith('/file-view/'))).toHaveLength(1);
  });

  it('shows the source of HTML and renders it only in a closed frame', async () => {
    open(
      { filename: 'a.html', mimetype: 'text/html', type: 4 },
      { 'GET /file-view/f1': '<p>x</p><script>1</script>' },
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Render' }));
    const frame = await screen.findByTitle('a.html');
    expect(frame.getAttribute('sandbox')).toBe('');
    await userEvent.click(screen.getByRole('button', { name: 'Run scripts' }));
    expect(screen.getByTitle('a.html').getAttribute('sandbox')).toBe('allow-scripts');
  });

  it('offers the first megabyte of a text that is too large', async () => {
    const api = open({ ...textFile, size: 11 << 20 }, { 'GET /file-view/f1': 'beginning' });
    await userEvent.click(await screen.findByRole('button', { name: 'Show the first 1 MB' }));
    expect(await screen.findByText('beginning')).toBeDefined();
    const [call] = api.calls.filter(({ path }) => path.startsWith('/file-view/'));
    expect(call?.headers.get('Range')).toBe('bytes=0-1048575');
  });

  it('warns when few views are left', async () => {
    open({ max_views: 5, views: 3 } as object);
    expect(await screen.findByText('2 views left.')).toBeDefined();
  });

  it('tries the server when the storage does not show a picture', async () => {
    open({ previewUrl: 'http://storage.example/x', use_proxy: 0 });
    const image = await screen.findByRole('img', { name: '港口.png' });
    expect(image.getAttribute('src')).toBe('http://storage.example/x');
    image.dispatchEvent(new Event('error'));
    await waitFor(() =>
      expect(screen.getByRole('img', { name: '港口.png' }).getAttribute('src')).toBe(
        '/api/file-view/f1?ticket=t1',
      ),
    );
  });
});

describe('a protected file', () => {
  it('tells nothing before the password', async () => {
    open(
      {},
      {
        'GET /public/files/f1?peek=1': data({ ...peek, requires_password: true }),
        'POST /public/files/f1/verify': data(file),
      },
    );
    const field = await screen.findByLabelText('Password');
    expect(document.body.textContent).not.toContain('港口');
    await userEvent.type(field, 'pw{Enter}');
    expect(await screen.findByRole('heading', { name: '港口.png' })).toBeDefined();
  });
});

describe('deleting', () => {
  it('is not offered to visitors', async () => {
    open();
    await screen.findByRole('heading', { name: '港口.png' });
    expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
  });

  it('asks, deletes, and can stay on the page', async () => {
    fakeApi({ 'POST /admin/login': data({ token: 't' }) });
    await signInAdmin('admin', 'pw');
    const api = open({}, { 'DELETE /files/batch-delete': data({ success: 1, failed: [] }) });
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete “港口.png”?' });
    await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Stay here' }));
    expect(screen.getByRole('heading', { name: 'File deleted' })).toBeDefined();
    expect(screen.queryByText(/home page in/)).toBeNull();
    expect(api.calls.find(({ method }) => method === 'DELETE')?.body).toEqual({
      ids: ['id-1'],
      delete_mode: 'both',
    });
  });
});

describe('editing the info', () => {
  it('is not offered to visitors', async () => {
    open();
    await screen.findByRole('heading', { name: '港口.png' });
    expect(screen.queryByRole('button', { name: 'Edit info' })).toBeNull();
  });

  it('sends only what was changed and shows it', async () => {
    fakeApi({ 'POST /admin/login': data({ token: 't' }) });
    await signInAdmin('admin', 'pw');
    const api = open({}, { 'PUT /files/id-1': data(null) });
    await userEvent.click(await screen.findByRole('button', { name: 'Edit info' }));
    const dialog = await screen.findByRole('dialog', { name: 'Edit info' });
    const remark = within(dialog).getByRole('textbox', { name: /Title/ });
    await userEvent.clear(remark);
    await userEvent.type(remark, 'The quay');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('The quay')).toBeDefined();
    expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({ remark: 'The quay' });
    expect(api.count('GET', '/public/files/f1')).toBe(1);
  });
});
