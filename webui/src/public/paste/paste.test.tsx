import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signInAdmin, signOut } from '../../auth/signIn';
import { config } from '../../config';
import { loadAreas } from '../../i18n';
import { Questions } from '../../shared/ui';
import { data, fakeApi, refused, type Routes } from '../../testing/fakeApi';
import PastePage, { prepare } from './index';

const paste = {
  slug: 's1',
  content: 'hello\nworld',
  remark: 'A note',
  hasPassword: false,
  expiresAt: null,
  maxViews: null,
  views: 1,
  createdAt: '2026-11-21T00:00:00.000Z',
  created_by: 'a1',
  isLastView: false,
};
const peek = { slug: 's1', hasPassword: false, requiresPassword: false, isLastView: false };
const locked = { ...peek, hasPassword: true, requiresPassword: true };

function open(routes: Routes) {
  const api = fakeApi({ 'GET /paste/s1?peek=1': peek, 'GET /paste/s1': paste, ...routes });
  render(
    <>
      <PastePage slug="s1" />
      <Questions />
    </>,
  );
  return api;
}

beforeEach(async () => {
  await loadAreas('shareGate');
  history.replaceState(null, '', '/paste/s1');
});

afterEach(async () => {
  fakeApi({});
  await signOut();
  vi.unstubAllGlobals();
});

describe('an open paste', () => {
  it('shows title, facts and text, and takes one view', async () => {
    const api = open({});
    expect(await screen.findByRole('heading', { level: 1, name: 'A note' })).toBeDefined();
    expect(within(screen.getByRole('list', { name: 'Details' })).getByText('2 lines')).toBeDefined();
    expect((await screen.findByRole('region', { name: 'Text of the share' })).textContent).toBe(
      'hello\nworld',
    );
    expect(api.count('GET', '/paste/s1')).toBe(1);
    await waitFor(() => expect(document.title).toContain('A note'));
  });

  it('renders Markdown when the text is Markdown, and keeps scripts out', async () => {
    open({
      'GET /paste/s1': {
        ...paste,
        content: '# Title\n\n<script>x</script>\n\n**粗。**后',
        syntax: 'markdown',
      },
    });
    expect(await screen.findByRole('heading', { name: 'Title' })).toBeDefined();
    expect(screen.getByText('粗。').nodeName).toBe('STRONG');
    expect(await screen.findByText('Markdown')).toBeDefined();
    expect(document.querySelector('article script')).toBeNull();
  });

  it('shows code with line numbers and selects the lines of the address', async () => {
    history.replaceState(null, '', '/paste/s1#L2');
    open({});
    const code = await screen.findByRole('region', { name: 'Text of the share' });
    await waitFor(() => expect(code.querySelector('[data-selected]')?.textContent).toBe('world'));
    await userEvent.click(screen.getByRole('link', { name: 'Line 1' }));
    expect(location.hash).toBe('#L1');
    await waitFor(() => expect(code.querySelector('[data-selected]')?.textContent).toBe('hello'));
  });

  it('selects lines by keyboard', async () => {
    history.replaceState(null, '', '/paste/s1#L1');
    open({});
    await userEvent.type(await screen.findByLabelText('Link to lines'), '1-2{Enter}');
    expect(location.hash).toBe('#L1-L2');
  });

  it('remembers the chosen form in this tab', async () => {
    open({});
    await userEvent.click(await screen.findByRole('radio', { name: 'Code' }));
    expect(sessionStorage.getItem('pp.view.s1')).toBe('code');
  });

  it.each([
    [{ maxViews: 5, views: 3 }, '2 views left'],
    [{ maxViews: 5, views: 4 }, '1 view left'],
    [{ maxViews: 5, views: 5, isLastView: true }, /This was the last view/],
  ])('warns when few views are left', async (limits, warning) => {
    open({ 'GET /paste/s1': { ...paste, ...limits } });
    expect(await screen.findByText(warning, { selector: 'p' })).toBeDefined();
  });
});

describe('a paste that the page was written for', () => {
  beforeEach(() => {
    config.openShare = 'paste/s1';
  });
  afterEach(() => {
    config.openShare = '';
  });

  const page = () => <PastePage slug="s1" />;
  const markdown = { ...paste, content: '# Title\n\n- one\n\n```js\n1\n```', syntax: 'markdown' };

  it('is drawn at once with its text, without being asked for again', async () => {
    const api = fakeApi({ 'GET /paste/s1?peek=1': peek, 'GET /paste/s1': markdown });
    await prepare();
    render(page());
    expect(screen.getByRole('heading', { level: 1, name: 'A note' })).toBeDefined();
    expect(await screen.findByRole('heading', { name: 'Title' })).toBeDefined();
    expect(api.count('GET', '/paste/s1')).toBe(1);
    expect(api.count('GET', '/paste/s1?peek=1')).toBe(0);
  });

  it('is asked for once where the page is drawn before it has come', async () => {
    const api = fakeApi({ 'GET /paste/s1?peek=1': peek, 'GET /paste/s1': paste });
    const prepared = prepare();
    render(page());
    expect(await screen.findByRole('region', { name: 'Text of the share' })).toBeDefined();
    await prepared;
    expect(api.count('GET', '/paste/s1')).toBe(1);
  });

  it('is read anew when somebody comes back to it', async () => {
    const api = fakeApi({ 'GET /paste/s1?peek=1': peek, 'GET /paste/s1': paste });
    await prepare();
    render(page()).unmount();
    render(page());
    expect(await screen.findByRole('region', { name: 'Text of the share' })).toBeDefined();
    expect(api.count('GET', '/paste/s1')).toBe(2);
  });

  it('says when it is gone, after one question', async () => {
    const api = fakeApi({ 'GET /paste/s1?peek=1': peek, 'GET /paste/s1': refused(410, 'expired') });
    await expect(prepare()).rejects.toThrow();
    render(page());
    expect(await screen.findByText('It has expired.')).toBeDefined();
    expect(api.count('GET', '/paste/s1')).toBe(1);
  });
});

describe('a protected paste', () => {
  it('asks for the password, says when it is wrong, and keeps it out of the address', async () => {
    open({
      'GET /paste/s1?peek=1': locked,
      'POST /paste/s1': ({ body }) =>
        (body as { password: string }).password === 'pw'
          ? { ...paste, hasPassword: true }
          : refused(401, 'password_wrong'),
    });
    const field = await screen.findByLabelText('Password');
    expect(document.title).not.toContain('A note');
    await userEvent.type(field, 'no{Enter}');
    await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
    expect(screen.getByRole('alert').textContent).toBe('Incorrect password, please try again');
    await waitFor(() => expect(document.activeElement).toBe(field));
    await userEvent.clear(field);
    await userEvent.type(field, 'pw{Enter}');
    expect(await screen.findByRole('heading', { level: 1, name: 'A note' })).toBeDefined();
    expect(location.href).not.toContain('pw');
  });

  it('tries the password of the address once and takes it out', async () => {
    history.replaceState(null, '', '/paste/s1?password=pw&x=1');
    const api = open({
      'GET /paste/s1?peek=1': locked,
      'POST /paste/s1': { ...paste, hasPassword: true },
    });
    expect(await screen.findByRole('heading', { level: 1, name: 'A note' })).toBeDefined();
    expect(location.search).toBe('?x=1');
    expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual({ password: 'pw' });
  });

  it('counts down when there were too many tries', async () => {
    open({
      'GET /paste/s1?peek=1': locked,
      'POST /paste/s1': refused(429, 'rate_limited', { 'Retry-After': '30' }),
    });
    await userEvent.type(await screen.findByLabelText('Password'), 'x{Enter}');
    const button = await screen.findByRole('button', { name: 'Open' });
    await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'));
    expect(screen.getByRole('alert').textContent).toContain('30 seconds');
  });
});

describe('the last view', () => {
  it('is taken only after a click', async () => {
    const api = open({ 'GET /paste/s1?peek=1': { ...peek, isLastView: true } });
    const button = await screen.findByRole('button', { name: 'Show it now' });
    expect(api.count('GET', '/paste/s1')).toBe(0);
    await userEvent.click(button);
    expect(await screen.findByRole('heading', { level: 1, name: 'A note' })).toBeDefined();
    expect(api.count('GET', '/paste/s1')).toBe(1);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('A note'));
  });
});

describe('a paste that cannot be shown', () => {
  it.each([
    [404, 'not_found', 'Share not found', /doesn’t exist or was deleted/],
    [410, 'expired', 'This share is no longer available', /It has expired/],
    [410, 'used_up', 'This share is no longer available', /It has reached its view limit/],
    [410, '', 'This share is no longer available', /expired or reached/],
  ])('says why: %i %s', async (status, code, heading, text) => {
    open({ 'GET /paste/s1?peek=1': refused(status, code) });
    expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeDefined();
    expect(screen.getByText(text)).toBeDefined();
  });

  it('can be tried again after a fault of the server', async () => {
    let down = true;
    open({ 'GET /paste/s1?peek=1': () => (down ? refused(503, 'unavailable') : peek) });
    down = await screen.findByRole('button', { name: 'Try again' }).then(() => false);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'A note' })).toBeDefined();
  });
});

describe('deleting', () => {
  const menu = async () => {
    await userEvent.click(await screen.findByRole('button', { name: 'More' }));
    await screen.findByRole('menuitem', { name: 'Print…' });
  };

  it('is not offered to visitors', async () => {
    open({});
    await screen.findByRole('heading', { level: 1, name: 'A note' });
    await screen.findByRole('button', { name: 'More', expanded: false });
    await menu();
    expect(screen.queryByRole('menuitem', { name: 'Delete' })).toBeNull();
  });

  it('asks with the name, then deletes by id', async () => {
    fakeApi({ 'POST /admin/login': data({ token: 't' }) });
    await signInAdmin('admin', 'pw');
    const api = open({
      'GET /pastes': {
        code: 200,
        data: [
          { id: 'id-9', slug: 's1x' },
          { id: 'id-1', slug: 's1' },
        ],
        pagination: {},
      },
      'DELETE /pastes/batch-delete': data(null),
    });
    await screen.findByRole('button', { name: 'More', expanded: false });
    await menu();
    await userEvent.click(screen.getByRole('menuitem', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete “A note”?' });
    await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(location.pathname).toBe('/'));
    expect(api.calls.find(({ method }) => method === 'DELETE')?.body).toEqual({ ids: ['id-1'] });
  });
});
