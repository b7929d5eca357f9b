import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CommittedFile } from '../../api/types';
import { signInAdmin, signOut } from '../../auth/signIn';
import { t } from '../../i18n';
import { longText } from '../../shared/editor/editor';
import { freshShare } from '../../shared/shareform';
import { Questions, Toasts } from '../../shared/ui';
import { uploads } from '../../shared/uploader/uploads';
import { data, fakeApi, refused, type Routes } from '../../testing/fakeApi';
import { readDrafts } from './drafts';
import { addFiles, sendFiles } from './files';
import Home from './index';
import { withFiles } from './tray';

vi.mock('../../shared/uploader/put', async (original) => ({
  ...(await original<object>()),
  putBytes: () => Promise.resolve({ etag: null }),
}));

const created = {
  id: '1',
  slug: 'abc',
  remark: null,
  expiresAt: null,
  maxViews: null,
  hasPassword: false,
  createdAt: '2026-11-21T00:00:00.000Z',
};

async function open(routes: Routes = {}, signedIn = true) {
  localStorage.setItem('pp.editorMode', 'plain');
  const api = fakeApi({ 'POST /admin/login': data({ token: 'T' }), 'POST /paste': created, ...routes });
  if (signedIn) await signInAdmin('admin', 'pw');
  const { unmount } = render(
    <>
      <Home />
      <Questions />
      <Toasts />
    </>,
  );
  return { api, user: userEvent.setup(), leave: unmount };
}

/** field opens the terms at a chip and gives the field that it leads to. */
async function field<T extends HTMLElement>(
  user: ReturnType<typeof userEvent.setup>,
  chip: string,
  label: string | RegExp,
) {
  await user.click(screen.getByRole('button', { name: chip }));
  return screen.findByLabelText<T>(label);
}

const editor = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Text to share' });
const share = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Share' });
const created1 = (api: { calls: { method: string; path: string; body: unknown }[] }) =>
  api.calls.filter((call) => call.method === 'POST' && call.path === '/paste');

afterEach(async () => {
  fakeApi({ 'POST /admin/logout': data(null) });
  await signOut();
  vi.unstubAllGlobals();
});

describe('a visitor', () => {
  it('may write, and is told what sharing needs', async () => {
    const { user } = await open({}, false);
    await user.type(editor(), 'draft');
    expect(editor().value).toBe('draft');
    expect(share().disabled).toBe(true);
    expect(screen.getByText(/Sign in as an administrator, or with an API key/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/admin?to=/');
  });
});

describe('sharing', () => {
  it('sends text and limits and shows the link, selected', async () => {
    const { api, user } = await open({ 'POST /paste': { ...created, hasPassword: true, maxViews: 1 } });
    await user.type(editor(), 'hello');
    await user.type(await field(user, 'Password', /^Password/), 'secret');
    await user.click(screen.getByRole('button', { name: 'Burn after reading' }));
    await user.click(share());
    const link = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Link' });
    expect(link.value).toBe('http://localhost:3000/paste/abc');
    await waitFor(() => expect(document.activeElement).toBe(link));
    expect(created1(api)[0]?.body).toEqual({
      content: 'hello',
      expiresAt: null,
      maxViews: 1,
      syntax: 'text',
      password: 'secret',
    });
    expect(screen.getByText(/Can be opened once\. Password protected\./)).toBeDefined();
    expect(screen.getByRole('button', { name: 'Copy link and password' })).toBeDefined();
  });

  it('closes it to strangers and lets its end move', async () => {
    const { api, user } = await open();
    await user.type(editor(), 'hello');
    expect(screen.queryByLabelText(/^Extend when opened/)).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Never expires' }));
    await user.click(await screen.findByLabelText(/^Only people who sign in can open it/));
    await user.click(screen.getByLabelText(/^Extend when opened/));
    const days = screen.getByLabelText<HTMLInputElement>(/^Days after it was last opened/);
    await user.clear(days);
    await user.type(days, '4000');
    await user.click(share());
    expect(days.getAttribute('aria-invalid')).toBe('true');
    expect(created1(api)).toEqual([]);
    await user.clear(days);
    await user.type(days, '30');
    fireEvent.change(screen.getByLabelText(/^No later than/), { target: { value: '2090-01-02' } });
    expect(screen.getByRole('button', { name: 'Sign-in required' })).toBeDefined();
    expect(screen.getByRole('button', { name: 'Extended when opened' })).toBeDefined();
    await user.click(share());
    await screen.findByRole('textbox', { name: 'Link' });
    expect(created1(api)[0]?.body).toEqual({
      content: 'hello',
      expiresAt: null,
      maxViews: 0,
      syntax: 'text',
      key_only: true,
      sliding_days: 30,
      sliding_until: new Date('2090-01-02T23:59:59').toISOString(),
    });
  });

  it('has its fields in the order in which the row above sums them up', async () => {
    const { user } = await open();
    const views = await field<HTMLInputElement>(user, 'Unlimited views', 'View limit');
    await screen.findByLabelText(/^Only people who sign in/);
    const named = [...document.querySelectorAll<HTMLInputElement>('fieldset [name]')];
    expect(named.map(({ name }) => name)).toEqual([
      ...['expiry', 'maxViews', 'password', 'slug', 'remark', 'syntax'],
      ...['keyOnly', 'slides'],
    ]);
    const row = within(screen.getByRole('group', { name: 'Share settings' })).getAllByRole('button');
    expect(row.map((chip) => chip.textContent)).toEqual([
      ...['Never expires', 'Unlimited views', 'Password', 'Custom link', 'Title', 'Syntax'],
      'Tell me when opened',
    ]);
    // No limit is an empty field, and what fills one in says so.
    expect(views.value).toBe('');
    expect(views.placeholder).toBe('No limit');
    const burn = screen.getByRole('button', { name: 'Burn after reading' });
    expect(burn.textContent).toBe('Burn after reading');
    await user.click(burn);
    expect(views.value).toBe('1');
    await user.click(burn);
    expect(views.value).toBe('');
  });

  it('says beside the link, not in front of it, that no channel brings the news', async () => {
    const { user } = await open({
      'PUT /notifications/shares/1': data({ tell: true }),
      'GET /notifications/channels': data({ channels: [] }),
    });
    await user.type(editor(), 'hello');
    await user.click(screen.getByRole('button', { name: 'Tell me when opened' }));
    await user.click(share());
    const box = await screen.findByRole('region', { name: 'Shared' });
    expect(await within(box).findByText(/once you add a channel/)).toBeDefined();
    expect(screen.getAllByText(/once you add a channel/)).toHaveLength(1);
  });

  it('works by Ctrl+Enter', async () => {
    const { api, user } = await open();
    await user.type(editor(), 'hello{Control>}{Enter}{/Control}');
    await screen.findByRole('textbox', { name: 'Link' });
    expect(created1(api)[0]?.body).toMatchObject({ content: 'hello' });
  });

  it('says what is missing and sends nothing', async () => {
    const { api, user } = await open();
    await user.type(await field(user, 'Custom link', /^Custom link/), 'a b');
    await user.click(share());
    expect(screen.getByText('The content can’t be empty')).toBeDefined();
    expect(screen.getByText('Letters, digits, hyphen and underscore only')).toBeDefined();
    expect(created1(api)).toEqual([]);
  });

  it('puts a taken link under its field and keeps everything', async () => {
    const { user } = await open({ 'POST /paste': refused(409, 'slug_taken') });
    await user.type(editor(), 'hello');
    const slug = await field<HTMLInputElement>(user, 'Custom link', /^Custom link/);
    await user.type(slug, 'mine');
    await user.click(share());
    expect(await screen.findByText('This link is taken. Choose another one.')).toBeDefined();
    await waitFor(() => expect(document.activeElement).toBe(slug));
    expect(slug.getAttribute('aria-invalid')).toBe('true');
    expect(editor().value).toBe('hello');
    await user.type(slug, '2');
    expect(screen.queryByText('This link is taken. Choose another one.')).toBeNull();
  });

  it('sums up several problems, each leading to its field, and takes out what is mended', async () => {
    const { user } = await open();
    await user.type(await field(user, 'Custom link', /^Custom link/), 'a b');
    await user.click(share());
    const summary = await screen.findByRole('group', { name: 'There are 2 problems' });
    await waitFor(() => expect(document.activeElement).toBe(summary));
    const links = within(summary).getAllByRole('link');
    expect(links.map((link) => link.textContent)).toEqual([
      'Text to share: The content can’t be empty',
      expect.stringMatching(/^Custom link: ./),
    ]);
    await user.click(within(summary).getByRole('link', { name: /^Custom link/ }));
    const slug = screen.getByLabelText(/^Custom link/);
    await waitFor(() => expect(document.activeElement).toBe(slug));
    await user.clear(slug);
    expect(await screen.findByRole('group', { name: 'There’s 1 problem' })).toBeDefined();
    await user.click(share());
    await waitFor(() => expect(document.activeElement).toBe(editor()));
    await user.type(editor(), 'hello');
    await waitFor(() => expect(screen.queryByRole('group', { name: /problem/ })).toBeNull());
  });

  it('warns of a taken link when the field is left', async () => {
    const { user } = await open({ 'GET /paste/mine?peek=1': { slug: 'mine', hasPassword: false } });
    await user.type(await field(user, 'Custom link', /^Custom link/), 'mine');
    await user.tab();
    expect(await screen.findByText('This link is taken. Choose another one.')).toBeDefined();
  });

  it('sends the same request again after a lost answer, and another one after a refusal', async () => {
    let lost = true;
    const { api, user } = await open({
      'POST /paste': () => {
        if (lost) throw new TypeError('Failed to fetch');
        return refused(400, 'invalid_argument');
      },
    });
    await user.type(editor(), 'hello');
    await user.selectOptions(await field(user, 'Never expires', 'Expires'), 'day');
    await user.click(share());
    expect(await screen.findByText(/Your text is saved as a draft/)).toBeDefined();
    lost = false;
    await user.click(share());
    await waitFor(() => expect(share().getAttribute('aria-busy')).toBeNull());
    await user.click(share());
    await waitFor(() => expect(created1(api)).toHaveLength(3));
    const keys = api.calls
      .filter((call) => call.path === '/paste')
      .map((call) => call.headers.get('Idempotency-Key'));
    expect(keys[0]).toBe(keys[1]);
    // The end of the share too, although the clock has gone on.
    expect(created1(api)[1]?.body).toEqual(created1(api)[0]?.body);
    expect(keys[2]).not.toBe(keys[1]);
  });

  it('archives the draft; a new text starts empty', async () => {
    const { user } = await open();
    await user.type(editor(), 'hello');
    await user.click(share());
    await user.click(await screen.findByRole('button', { name: 'New share' }));
    expect(editor().value).toBe('');
    expect(screen.queryByRole('textbox', { name: 'Link' })).toBeNull();
    expect(readDrafts()).toMatchObject([{ text: 'hello', archived: true }]);
    await user.click(screen.getByText('Recent drafts'));
    await user.click(screen.getByRole('button', { name: 'Restore' }));
    expect(editor().value).toBe('hello');
  });

  it('keeps the text but not the taken link when one keeps editing', async () => {
    const { user } = await open();
    await user.type(editor(), 'hello');
    await user.type(await field(user, 'Custom link', /^Custom link/), 'abc');
    await user.click(share());
    await user.click(await screen.findByRole('button', { name: 'Keep editing' }));
    expect(editor().value).toBe('hello');
    expect(screen.getByLabelText<HTMLInputElement>(/^Custom link/).value).toBe('');
  });
});

describe('the editor', () => {
  it('imports a file and asks before replacing a text', async () => {
    const { user } = await open();
    const file = new File(['分享\r\nzwei'], 'a.txt', { type: 'text/plain' });
    const picker = document.querySelector<HTMLInputElement>('input[type="file"]');
    if (!picker) throw new Error('no file input');
    await user.upload(picker, file);
    await waitFor(() => expect(editor().value).toBe('分享\nzwei'));
    await user.upload(picker, new File(['other'], 'b.txt', { type: 'text/plain' }));
    expect(await screen.findByRole('alertdialog', { name: 'Replace the text?' })).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(editor().value).toBe('分享\nzwei');
  });

  it('clears after asking and gives it back by Undo', async () => {
    const { user } = await open();
    await user.type(editor(), 'precious');
    const toolbar = screen.getByRole('toolbar', { name: 'Formatting' });
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    expect(await screen.findByRole('alertdialog', { name: 'Clear the text?' })).toBeDefined();
    await user.click(
      screen.getAllByRole('button', { name: 'Clear' }).find((b) => !toolbar.contains(b)) ?? toolbar,
    );
    await waitFor(() => expect(editor().value).toBe(''));
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    expect(editor().value).toBe('precious');
  });

  it('stays the same field while an input method composes, however long it gets', async () => {
    await open();
    const field = editor();
    fireEvent.compositionStart(field);
    fireEvent.change(field, { target: { value: 'x'.repeat(longText) } });
    await act(() => import('./MarkdownPanes'));
    expect(editor()).toBe(field);
    fireEvent.compositionEnd(field);
    await waitFor(() => expect(field.isConnected).toBe(false));
  });

  it('counts in one and many', async () => {
    const { user } = await open();
    await user.type(editor(), 'a');
    expect(await screen.findByText('1 character')).toBeDefined();
    await user.type(editor(), ' b');
    expect(await screen.findByText('3 characters')).toBeDefined();
    expect(screen.getByText('2 words')).toBeDefined();
  });

  it('saves what was written last when another page takes its place', async () => {
    const { user, leave } = await open();
    await user.type(editor(), 'the last word');
    expect(readDrafts()).toEqual([]);
    leave();
    expect(readDrafts().map(({ text }) => text)).toEqual(['the last word']);
  });

  it('asks by every way out what is done with a text that this device cannot keep', async () => {
    const { user } = await open();
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    document.body.insertAdjacentHTML('beforeend', '<a href="/elsewhere">elsewhere</a>');
    const link = screen.getByRole('link', { name: 'elsewhere' });
    const before = location.pathname;
    await user.type(editor(), 'a long story');
    // In its first second, too.
    await user.click(link);
    const question = await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
    await user.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(location.pathname).toBe(before);
    expect(await screen.findByText(/too large to save/)).toBeDefined();
    await user.type(editor(), ' goes on');
    expect(dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false);

    vi.mocked(Storage.prototype.setItem).mockRestore();
    // There is room again.
    await user.click(link);
    await waitFor(() => expect(location.pathname).toBe('/elsewhere'));
    expect(readDrafts().map(({ text }) => text)).toEqual(['a long story goes on']);
    link.remove();
  });

  it('restores the draft of this tab', async () => {
    sessionStorage.setItem('pp.draftId', 'd1');
    const form = { remark: 'note', slug: '', expiry: 'day', expiryAt: '', maxViews: '2' };
    localStorage.setItem(
      'pp.own.drafts',
      JSON.stringify([{ id: 'd1', text: 'kept', mode: 'plain', form, savedAt: 1, archived: false }]),
    );
    await open();
    await waitFor(() => expect(editor().value).toBe('kept'));
    const title = await field<HTMLInputElement>(userEvent.setup(), 'note', /^Title/);
    expect(title.value).toBe('note');
    expect(document.activeElement).toBe(title);
    expect(screen.getByLabelText<HTMLSelectElement>('Expires').value).toBe('day');
  });
});

it('has the owner told when a file is opened, on whatever page they are when it arrives', async () => {
  const { api, leave } = await open({
    'GET /s3-configs': data([{ id: 'c1', name: 'Disk', is_default: 1 }]),
    'POST /s3/presign': data({ file_id: 'f1', upload_url: '/api/blob/f1', slug: 'f1', contentType: 'x' }),
    'POST /s3/commit': data({ id: 'f1', filename: 'pier.md', slug: 'f1', mimetype: '', type: 0 }),
    'PUT /notifications/shares/f1': data({ tell: true }),
    'GET /notifications/channels': data({ channels: [] }),
  });
  addFiles([new File(['# Pier'], 'pier.md')], t);
  withFiles.set(true);
  leave();
  await sendFiles({ ...freshShare(), tell: true }, t);
  await waitFor(() => expect(api.count('PUT', '/notifications/shares/f1')).toBe(1));
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({ tell: true });

  // Who comes back finds it so, and nothing is saved twice.
  render(<Home />);
  const box = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'Tell me when it’s opened' });
  await waitFor(() => expect(box.disabled).toBe(false));
  expect(box.checked).toBe(true);
  expect(api.count('PUT', '/notifications/shares/f1')).toBe(1);
});

it('leaves to the text what the text shows, until all of it is there', async () => {
  await open();
  addFiles([new File(['x'], 'waits.bin')], t);
  act(() => withFiles.set(true));
  await screen.findByRole('button', { name: 'Remove waits.bin' });
  const film = { id: 'f1', filename: 'film.mp4', slug: 'f1', mimetype: '', type: 0 } as CommittedFile;
  uploads.add([{ file: new File(['x'], 'film.mp4'), to: 'text' }]);
  const [id] = uploads.get().items.flatMap((item) => (item.to === 'text' ? [item.id] : []));
  act(() => uploads.start(() => Promise.resolve(film), [id ?? 0]));
  await waitFor(() => expect(uploads.get().items.at(-1)?.status).toBe('success'));
  // Whoever waits for its text has been drawn by then.
  await act(() => Promise.resolve());
  expect(screen.queryByRole('heading', { name: 'film.mp4' })).toBeNull();
});

it('leads to each file that is refused, which stands above the text, and nowhere when one goes', async () => {
  await open({
    'GET /s3-configs': data([{ id: 'c1', name: 'Disk', is_default: 1 }]),
    'POST /s3/presign': refused(413, 'too_large'),
  });
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
  const led = () => scrolled.mock.contexts.filter((one) => one instanceof HTMLUListElement).length;
  addFiles([new File(['x'], 'big.bin'), new File(['xy'], 'bigger.bin')], t);
  act(() => withFiles.set(true));
  await act(() => sendFiles(freshShare(), t));
  await waitFor(() => expect(screen.getAllByText('Failed')).toHaveLength(2));
  await waitFor(() => expect(led()).toBeGreaterThan(0));
  const before = led();
  act(() => uploads.remove(uploads.get().items[0]?.id ?? 0));
  expect(screen.getAllByText('Failed')).toHaveLength(1);
  expect(led()).toBe(before);
  act(() => uploads.retry(uploads.get().items[0]?.id ?? 0));
  await waitFor(() => expect(led()).toBe(before + 1));
});

it('sends Markdown as what it is, and forgets at sign-out what was asked for its link', async () => {
  const { api } = await open({ 'GET /s3-configs': data([{ id: 'c1', name: 'Disk', is_default: 1 }]) });
  addFiles([new File(['# Pier'], 'pier.md')], t);
  await sendFiles({ ...freshShare(), password: 'north', tell: true }, t);
  const announced = () => api.calls.find(({ path }) => path === '/s3/presign')?.body;
  await waitFor(() => expect(announced()).toMatchObject({ mimetype: 'text/markdown' }));
  expect(uploads.get().items[0]?.link).toEqual({ password: 'north', tell: true });
  await signOut();
  expect(uploads.get().items).toEqual([]);
});
