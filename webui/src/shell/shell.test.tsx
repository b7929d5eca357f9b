import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { App } from '../App';
import { signInAdmin, signOut } from '../auth/signIn';
import { noteRestored } from '../shared/restored';
import { confirm, toast } from '../shared/ui';
import { closeToast, toasts } from '../shared/ui/toasts';
import { UploadError } from '../shared/uploader/errors';
import { uploads } from '../shared/uploader/uploads';
import { data, fakeApi, refused, type Routes } from '../testing/fakeApi';
import { lazyView } from '../shared/view/View';

const key = {
  permissions: { text: true, file: false },
  key_info: { id: 'k1', name: 'ci', basic_path: '/team' },
};

function open(path: string, routes: Routes = {}) {
  history.replaceState(null, '', path);
  const api = fakeApi({
    'POST /admin/login': data({ token: 'T' }),
    'GET /test/api-key': data(key),
    'POST /admin/logout': data(null),
    ...routes,
  });
  render(<App />);
  return { api, user: userEvent.setup() };
}

beforeEach(() => history.replaceState(null, '', '/'));

afterEach(async () => {
  act(() => toasts.get().forEach(({ id }) => closeToast(id)));
  fakeApi({ 'POST /admin/logout': data(null) });
  await act(signOut);
  vi.unstubAllGlobals();
});

describe('signing in at /admin', () => {
  it('goes back to where one came from', async () => {
    const { user } = open('/admin?to=/');
    await user.type(await screen.findByLabelText('Username'), 'admin');
    await user.type(screen.getByLabelText('Password'), 'pw{Enter}');
    expect(await screen.findByRole('heading', { level: 1, name: 'New share' })).toBeDefined();
    expect(location.pathname).toBe('/');
    expect(await screen.findByRole('button', { name: 'Admin' })).toBeDefined();
  });

  it('shows who one is with a key, and signs out', async () => {
    const { user } = open('/admin');
    await user.click(await screen.findByRole('radio', { name: 'API key' }));
    await user.type(screen.getByLabelText('API key', { selector: 'input:not([type=radio])' }), 'K{Enter}');
    const heading = await screen.findByRole('heading', { level: 1, name: 'Texts' });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(screen.getAllByText('User panel').length).toBeGreaterThan(0);
    await user.click(screen.getByRole('button', { name: 'Key: ci' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
    await waitFor(() => expect(localStorage.getItem('api_key')).toBeNull());
    expect(await screen.findByText('You’re signed out')).toBeDefined();
  });

  it('asks before signing out ends uploads, paused ones too', async () => {
    const { user } = open('/');
    await act(() => signInAdmin('admin', 'pw'));
    uploads.add([{ file: new File(['x'], 'film.mp4') }]);
    const [id = 0] = uploads.get().items.map((item) => item.id);
    const untilPaused: Parameters<typeof uploads.start>[0] = (_, __, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new UploadError('aborted')));
      });
    act(() => uploads.start(untilPaused, [id]));
    act(() => uploads.pause(id));
    await waitFor(() => expect(uploads.get().items[0]?.status).toBe('paused'));
    const leave = async () => {
      await user.click(await screen.findByRole('button', { name: 'Admin' }));
      await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
    };
    await leave();
    const question = await screen.findByRole('alertdialog', { name: 'Stop uploading and sign out?' });
    await user.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(localStorage.getItem('admin_token')).toBe('T');
    act(() => uploads.reset());
    await leave();
    await waitFor(() => expect(localStorage.getItem('admin_token')).toBeNull());
  });

  it('leads nobody to the panel who has nothing in it', async () => {
    const reader = {
      permissions: { mount_view: true },
      key_info: { id: 'k2', name: 'reader', basic_path: '/' },
    };
    const { user } = open('/admin', { 'GET /test/api-key': data(reader) });
    expect(screen.getByRole('link', { name: 'Admin' })).toBeDefined();
    await user.click(await screen.findByRole('radio', { name: 'API key' }));
    await user.type(screen.getByLabelText('API key', { selector: 'input:not([type=radio])' }), 'K{Enter}');
    expect(await screen.findByRole('button', { name: 'Key: reader' })).toBeDefined();
    expect(screen.queryByRole('link', { name: 'Admin' })).toBeNull();
  });

  it('says what is missing without asking the server', async () => {
    const { api, user } = open('/admin');
    await user.click(await screen.findByRole('button', { name: 'Sign in' }));
    const summary = await screen.findByRole('group', { name: 'There are 2 problems' });
    await waitFor(() => expect(document.activeElement).toBe(summary));
    expect(screen.getByText('Enter the password')).toBeDefined();
    expect(api.count('POST', '/admin/login')).toBe(0);
  });

  it.each([
    [refused(401, 'unauthenticated'), 'Wrong username or password'],
    [refused(429, 'rate_limited', { 'Retry-After': '30' }), 'Too many attempts. Try again in 30 seconds.'],
    [data({}), 'The server’s response was incomplete (no token)'],
  ])('words a refusal', async (answer, want) => {
    const { user } = open('/admin', { 'POST /admin/login': answer });
    await user.type(await screen.findByLabelText('Username'), 'admin');
    await user.type(screen.getByLabelText('Password'), 'x{Enter}');
    await waitFor(() => expect(screen.getByRole('alert').textContent).toBe(want));
  });
});

describe('the frame', () => {
  it('marks the current page and moves the focus to the heading after a navigation', async () => {
    const { user } = open('/admin');
    await screen.findByLabelText('Username');
    await user.click(screen.getByRole('link', { name: 'Home' }));
    const heading = await screen.findByRole('heading', { level: 1, name: 'New share' });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(screen.getByRole('link', { name: 'Home' }).getAttribute('aria-current')).toBe('page');
    await waitFor(() => expect(document.title).toBe('Pasteport - Online clipboard'));
  });

  it('switches language without losing what was typed', async () => {
    const { user } = open('/admin');
    await user.type(await screen.findByLabelText('Username'), 'someone');
    await user.click(screen.getByRole('button', { name: 'Language' }));
    await user.click(await screen.findByRole('menuitemradio', { name: '中文' }));
    expect((await screen.findByLabelText<HTMLInputElement>('用户名')).value).toBe('someone');
    expect(localStorage.getItem('language')).toBe('zh-CN');
    await waitFor(() => expect(document.title).toBe('管理面板 - Pasteport'));
  });

  it('cycles the theme and says which comes next', async () => {
    const { user } = open('/admin');
    await user.click(await screen.findByRole('button', { name: 'Theme: automatic. Switch to light' }));
    await user.click(screen.getByRole('button', { name: 'Theme: light. Switch to dark' }));
    expect(document.documentElement.dataset.theme).toBe('dark');
    await user.click(screen.getByRole('button', { name: 'Theme: dark. Switch to automatic' }));
  });

  it('says why a session has ended', async () => {
    open('/');
    await act(() => signInAdmin('admin', 'pw'));
    act(() => {
      dispatchEvent(new CustomEvent('admin-token-expired'));
    });
    expect(await screen.findByText(/Your admin session has expired/)).toBeDefined();
  });
});

describe('an unknown address', () => {
  it('says so, stays when asked to, and leads on', async () => {
    const { user } = open('/no/such/page');
    expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' })).toBeDefined();
    await waitFor(() => expect(document.title).toBe('Page not found - Pasteport'));
    await user.click(screen.getByRole('button', { name: 'Stay here' }));
    expect(screen.queryByText(/Returning home/)).toBeNull();
  });

  it('returns home after five seconds', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      open('/no/such/page');
      await screen.findByText('Returning home in 5 seconds.');
      for (let second = 0; second < 5; second++) await act(() => vi.advanceTimersByTimeAsync(1000));
      await waitFor(() => expect(location.pathname).toBe('/'));
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a page that fails', () => {
  it('says so, can be tried again, and leads home', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    let sound = false;
    const Broken = lazyView(() =>
      Promise.resolve({
        default: () => {
          if (!sound) throw new Error('the mast broke');
          return <p>under sail</p>;
        },
      }),
    );
    const user = userEvent.setup();
    render(<Broken />);
    expect(await screen.findByRole('heading', { name: 'Something went wrong on this page' })).toBeDefined();
    expect(screen.getByRole('link', { name: 'Home' }).getAttribute('href')).toBe('/');
    sound = true;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('under sail')).toBeDefined();
  });
});

describe('messages', () => {
  it('an error stays until it is closed, a success goes', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      open('/admin');
      act(() => {
        toast.error('bad');
        toast.success('good');
      });
      await screen.findByText('good');
      await act(() => vi.advanceTimersByTimeAsync(3100));
      expect(screen.queryByText('good')).toBeNull();
      await act(() => vi.advanceTimersByTimeAsync(60_000));
      expect(screen.getByText('bad')).toBeDefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it('say why a session has ended: by itself, or by a backup that was restored', async () => {
    open('/admin');
    await screen.findByLabelText('Username');
    act(() => void dispatchEvent(new Event('admin-token-expired')));
    await screen.findByText('Your admin session has expired. Sign in again.');
    noteRestored();
    act(() => void dispatchEvent(new Event('admin-token-expired')));
    await screen.findByText('The backup was restored, which ended your session. Sign in again.');
    localStorage.removeItem('pp.restoredAt');
  });

  it('three stand at once, others wait, and none goes while the pointer rests on them', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      open('/admin');
      act(() => ['one', 'two', 'three', 'four', 'one'].forEach((text) => void toast.info(text)));
      const first = await screen.findByText('one');
      expect(screen.queryByText('four')).toBeNull();
      const region = screen.getByRole('region', { name: 'Notifications' });
      fireEvent.pointerEnter(region);
      await act(() => vi.advanceTimersByTimeAsync(20_000));
      expect(first.isConnected).toBe(true);
      fireEvent.pointerLeave(region);
      await act(() => vi.advanceTimersByTimeAsync(4100));
      expect(screen.queryByText('one')).toBeNull();
      expect(screen.getByText('four')).toBeDefined();
      await act(() => vi.advanceTimersByTimeAsync(4100));
      expect(within(region).queryByRole('status')).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it('stand in the dialog on top, where they can be reached, and outlive it', async () => {
    const { user } = open('/admin');
    await screen.findByLabelText('Username');
    act(() => {
      void confirm({ title: 'Go on?' });
    });
    const dialog = await screen.findByRole('alertdialog', { name: 'Go on?' });
    act(() => {
      toast.error('it went wrong');
    });
    expect(await within(dialog).findByText('it went wrong')).toBeDefined();
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('alertdialog')).toBeNull();
    const region = within(screen.getByRole('region', { name: 'Notifications' }));
    await user.click(region.getByRole('button', { name: 'Close' }));
    expect(screen.queryByText('it went wrong')).toBeNull();
  });

  it('have no more time in a dialog that opens than was left to them', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      open('/admin');
      act(() => void toast.info('passing'));
      await screen.findByText('passing');
      await act(() => vi.advanceTimersByTimeAsync(2500));
      act(() => {
        void confirm({ title: 'Go on?' });
      });
      const dialog = await screen.findByRole('alertdialog', { name: 'Go on?' });
      expect(await within(dialog).findByText('passing')).toBeDefined();
      await act(() => vi.advanceTimersByTimeAsync(2000));
      expect(screen.queryByText('passing')).toBeNull();
      fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    } finally {
      vi.useRealTimers();
    }
  });

  it('a question is answered once, and cancelling is a no', async () => {
    const { user } = open('/admin');
    await screen.findByLabelText('Username');
    let answer: Promise<boolean> | undefined;
    act(() => {
      answer = confirm({ title: 'Delete 3 texts?', danger: true });
    });
    expect(await screen.findByRole('alertdialog', { name: 'Delete 3 texts?' })).toBeDefined();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' })));
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(await answer).toBe(false);
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });
});
