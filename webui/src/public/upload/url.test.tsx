import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signInAdmin, signOut } from '../../auth/signIn';
import { loadAreas } from '../../i18n';
import { data, fakeApi, refused, type Routes } from '../../testing/fakeApi';
import UploadPage from './index';

class FakeXhr {
  upload = {};
  status = 0;
  onload = () => {};
  open() {}
  setRequestHeader() {}
  getResponseHeader = () => '"e"';
  abort() {}
  send() {
    setTimeout(() => {
      this.status = 200;
      this.onload();
    });
  }
}

const routes: Routes = {
  'POST /admin/login': data({ token: 't' }),
  'GET /s3-configs': data([{ id: 'c1', name: 'Disk', provider_type: 'Local disk', is_default: 1 }]),
  'GET /system/max-upload-size': data({ max_upload_size: 1 }),
  'GET /admin/settings': data([{ key: 'default_use_proxy', value: 'true' }]),
  'GET /files': data({ files: [], pagination: {} }),
  'POST /url/info': data({
    url: 'https://far.example/a.bin',
    filename: 'a.bin',
    contentType: 'x/y',
    size: null,
    type: 0,
  }),
  'GET /url/proxy': new Response('hello'),
  'POST /url/presign': data({ file_id: 'f', upload_url: '/put', slug: 's', contentType: 'x/y' }),
  'POST /url/commit': data({ id: 'f', slug: 's' }),
  'GET /files/f': data({
    id: 'f',
    slug: 's',
    filename: 'mine.bin',
    mimetype: 'x/y',
    type: 0,
    has_password: false,
  }),
};

async function open(more: Routes = {}) {
  const api = fakeApi({ ...routes, ...more });
  await signInAdmin('admin', 'pw');
  render(<UploadPage />);
  await userEvent.click(await screen.findByRole('tab', { name: 'From a URL' }));
  await screen.findByLabelText('Link to the file');
  return api;
}

const analyze = async (address: string) => {
  await userEvent.type(screen.getByLabelText('Link to the file'), address);
  await userEvent.click(screen.getByRole('button', { name: 'Check link' }));
};

beforeEach(async () => {
  vi.stubGlobal('XMLHttpRequest', FakeXhr);
  await loadAreas('file');
});

afterEach(async () => {
  await act(() => signOut());
  vi.unstubAllGlobals();
});

/** startSlowly begins to fetch a file whose bytes come when, and as, what it gives says. */
async function startSlowly(): Promise<(answer: Response) => void> {
  let release: (answer: Response) => void = () => undefined;
  await open({ 'GET /url/proxy': () => new Promise<Response>((resolve) => (release = resolve)) });
  await analyze('https://far.example/a.bin');
  await screen.findByLabelText('File name');
  await userEvent.click(screen.getByRole('button', { name: 'Fetch and share' }));
  await screen.findByText('Downloading through the server');
  return (answer) => release(answer);
}

describe('the URL tab', () => {
  it('shares what an address holds, through the server when it must', async () => {
    const api = await open();
    await analyze('https://far.example/a.bin');
    const name = await screen.findByLabelText<HTMLInputElement>('File name');
    expect(name.value).toBe('a.bin');
    expect(screen.getByText('unknown size')).toBeDefined();
    await userEvent.clear(name);
    await userEvent.type(name, 'mine.bin');
    await userEvent.click(screen.getByRole('button', { name: 'Fetch and share' }));
    const link = await screen.findByLabelText<HTMLInputElement>('Share link of mine.bin');
    expect(link.value).toBe(`${location.origin}/file/s`);
    expect(api.calls.find(({ path }) => path === '/url/presign')?.body).toMatchObject({
      url: 'https://far.example/a.bin',
      filename: 'mine.bin',
      s3_config_id: 'c1',
      remark: '[URL] https://far.example/a.bin',
      size: 5,
    });
  });

  it('goes on while its owner looks at something else, and says so on the other tab', async () => {
    const release = await startSlowly();

    await userEvent.click(screen.getByRole('tab', { name: 'From this device' }));
    expect(screen.getByText('Fetching “a.bin”: 0%')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Show' }));
    const tab = screen.getByRole('tab', { name: 'From a URL' });
    await waitFor(() => expect(document.activeElement).toBe(tab));
    expect(screen.queryByText('Fetching “a.bin”: 0%')).toBeNull();

    cleanup();
    render(<UploadPage />);
    expect((await screen.findByLabelText<HTMLInputElement>('File name')).value).toBe('a.bin');
    expect(screen.getByRole('button', { name: 'Cancel' })).toBeDefined();
    release(new Response('hello'));
    await screen.findByLabelText('Share link of mine.bin');
    expect(screen.getByLabelText<HTMLInputElement>('Link to the file').value).toBe('');
    expect(screen.queryByLabelText('File name')).toBeNull();
  });

  it('says on the other tab why it has failed, and can be tried again', async () => {
    const release = await startSlowly();
    await userEvent.click(screen.getByRole('tab', { name: 'From this device' }));
    release(refused(502, 'bad_gateway'));
    expect(await screen.findByText(/^“a\.bin”: /)).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Show' }));
    expect(screen.queryByText(/^“a\.bin”: /)).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Fetch and share' }));
    await screen.findByText('Downloading through the server');
    release(new Response('hello'));
    expect(await screen.findByLabelText('Share link of mine.bin')).toBeDefined();
  });

  it('is nobody’s after sign-out', async () => {
    await startSlowly();
    await act(() => signOut());
    await act(() => signInAdmin('admin', 'pw'));
    expect((await screen.findByLabelText<HTMLInputElement>('Link to the file')).value).toBe('');
    expect(screen.queryByLabelText('File name')).toBeNull();
  });

  it('leaves the work to the server, and shows how it goes', async () => {
    let status = 'running';
    const task = () => ({
      id: 't1',
      title: 'a.bin',
      status,
      cancelling: false,
      progress: 40,
      bytes: { done: 4, total: 10 },
      error: status === 'failed' ? { error: 'invalid_argument', message: 'The site answered 404' } : null,
    });
    const api = await open({
      'POST /url/fetch': data({ task_id: 't1', file_id: 'f', slug: 's' }),
      'GET /fs/tasks': () => data({ tasks: api.count('POST', '/url/fetch') > 0 ? [task()] : [] }),
      'DELETE /fs/tasks/t1': data(null),
    });
    await analyze('https://far.example/a.bin');
    await screen.findByLabelText('File name');
    await userEvent.click(screen.getByText('Advanced'));
    await userEvent.selectOptions(screen.getByLabelText('Upload method'), 'server');
    await userEvent.click(screen.getByRole('button', { name: 'Fetch and share' }));
    expect(await screen.findByText('4 B / 10 B')).toBeDefined();
    expect(api.calls.find(({ path }) => path === '/url/fetch')?.body).toMatchObject({
      url: 'https://far.example/a.bin',
      filename: 'a.bin',
      remark: '[URL] https://far.example/a.bin',
    });
    expect(api.count('POST', '/url/presign')).toBe(0);
    status = 'failed';
    expect(await screen.findByText('The site answered 404', undefined, { timeout: 30_000 })).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Remove a.bin' }));
    expect(api.count('DELETE', '/fs/tasks/t1')).toBe(1);
  });

  it('says under the field what is wrong with an address', async () => {
    const api = await open({ 'POST /url/info': () => refused(400, 'invalid_argument') });
    await analyze('ftp://far.example/a');
    expect(screen.getByText('Enter a link that starts with http:// or https://')).toBeDefined();
    expect(api.count('POST', '/url/info')).toBe(0);
    await userEvent.click(screen.getByRole('button', { name: 'Fetch and share' }));
    expect(screen.getByText('Check the link first')).toBeDefined();
    await userEvent.clear(screen.getByLabelText('Link to the file'));
    await analyze('http://10.0.0.1/a');
    expect(api.count('POST', '/url/info')).toBe(1);
    expect(screen.getByLabelText('Link to the file').getAttribute('aria-invalid')).toBe('true');
    expect(screen.queryByLabelText('File name')).toBeNull();
  });

  it('keeps the form when the share is refused', async () => {
    await open({ 'POST /url/presign': () => refused(409, 'slug_taken') });
    await analyze('https://far.example/a.bin');
    await screen.findByLabelText('File name');
    const panel = within(screen.getByRole('tabpanel'));
    await userEvent.type(panel.getByLabelText(/^Custom link/), 'taken');
    await userEvent.click(screen.getByRole('button', { name: 'Fetch and share' }));
    expect((await screen.findByRole('alert')).textContent).not.toBe('');
    expect(panel.getByLabelText<HTMLInputElement>(/^Custom link/).value).toBe('taken');
    expect(screen.getByLabelText('File name')).toBeDefined();
  });
});
