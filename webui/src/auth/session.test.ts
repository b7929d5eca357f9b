import { beforeEach, describe, expect, it, vi } from 'vitest';

const calls = vi.hoisted(() => ({
  login: vi.fn(),
  logout: vi.fn(),
  testAdminToken: vi.fn(),
  testKey: vi.fn(),
}));
vi.mock('../api/auth', () => calls);

const flags = { text: true, file: false, mount_view: true };
const keyAnswer = { permissions: flags, key_info: { id: 'k1', name: 'ci', basic_path: '/team' } };

/** Makes a call fail; the error's class is that of the freshly started page. */
const failure = (details: object) => async () => {
  const { ApiError } = await import('../api/errors');
  throw new ApiError('', details);
};

/** A fresh start of the page with what local storage holds. */
async function start(stored: Record<string, string> = {}) {
  vi.resetModules();
  localStorage.clear();
  for (const [name, value] of Object.entries(stored)) localStorage.setItem(name, value);
  return {
    ...(await import('./session')),
    ...(await import('./signIn')),
    ...(await import('./validity')),
  };
}

beforeEach(() => {
  for (const call of Object.values(calls)) call.mockReset();
  calls.logout.mockResolvedValue(undefined);
  calls.testAdminToken.mockResolvedValue(undefined);
  calls.testKey.mockResolvedValue(keyAnswer);
});

describe('restoring', () => {
  it('starts as a visitor when nothing is stored', async () => {
    const { session } = await start();
    expect(session()).toMatchObject({ kind: 'none', bits: 0, checking: false });
  });

  it('starts as the stored admin and validates', async () => {
    const { session, validate } = await start({ admin_token: 'T' });
    expect(session()).toMatchObject({ kind: 'admin', checking: true });
    expect(session().can(131072)).toBe(true);
    await validate();
    expect(session().checking).toBe(false);
  });

  it('starts with the stored rights of a key, before any answer', async () => {
    const { session } = await start({
      api_key: 'K',
      api_key_permissions: JSON.stringify(flags),
      api_key_info: JSON.stringify(keyAnswer.key_info),
    });
    expect(session()).toMatchObject({ kind: 'apikey', bits: 257, name: 'ci', basicPath: '/team', id: 'k1' });
  });

  it.each(['{', '"x"', 'null', '[1]'])('survives broken stored rights: %s', async (broken) => {
    const { session } = await start({ api_key: 'K', api_key_permissions: broken, api_key_info: broken });
    expect(session()).toMatchObject({ kind: 'apikey', bits: 0, name: '', basicPath: '/' });
  });
});

describe('validating', () => {
  it('takes over the rights a key has by now', async () => {
    const { session, validate } = await start({ api_key: 'K' });
    await validate();
    expect(session()).toMatchObject({ bits: 257, name: 'ci', checking: false });
    expect(JSON.parse(localStorage.getItem('api_key_permissions') ?? '')).toEqual(flags);
  });

  it.each([
    ['the network is down', { failure: 'network' }],
    ['the server has a fault', { status: 500 }],
    ['time is over', { failure: 'timeout' }],
  ])('keeps the session when %s', async (_, details) => {
    calls.testAdminToken.mockImplementation(failure(details));
    const { session, validate } = await start({ admin_token: 'T' });
    await validate();
    expect(session()).toMatchObject({ kind: 'admin', checking: false });
    expect(localStorage.getItem('admin_token')).toBe('T');
  });

  it('ends the session when the server forbids it, and tells so', async () => {
    calls.testAdminToken.mockImplementation(failure({ status: 403 }));
    const { session, startSession, validate } = await start({ admin_token: 'T' });
    const expired = vi.fn();
    addEventListener('admin-token-expired', expired, { once: true });
    startSession();
    await validate();
    expect(expired).toHaveBeenCalledTimes(1);
    expect(session().kind).toBe('none');
    expect(localStorage.getItem('admin_token')).toBeNull();
  });

  it('asks again only after five minutes', async () => {
    const { ensureFresh, validFor, validate } = await start({ admin_token: 'T' });
    const now = vi.spyOn(Date, 'now').mockReturnValue(1_000_000);
    await validate();
    now.mockReturnValue(1_000_000 + validFor);
    await ensureFresh();
    expect(calls.testAdminToken).toHaveBeenCalledTimes(1);
    now.mockReturnValue(1_000_000 + validFor + 1);
    await ensureFresh();
    expect(calls.testAdminToken).toHaveBeenCalledTimes(2);
  });
});

describe('signing in and out', () => {
  it('stores the token of an admin', async () => {
    calls.login.mockResolvedValue({ token: 'T' });
    const { session, signInAdmin } = await start();
    await signInAdmin('admin', 'pw');
    expect(session().kind).toBe('admin');
    expect(localStorage.getItem('admin_token')).toBe('T');
  });

  it('fails when the answer has no token', async () => {
    calls.login.mockResolvedValue({});
    const { session, signInAdmin } = await start();
    await expect(signInAdmin('admin', 'pw')).rejects.toMatchObject({ code: 'no_token' });
    expect(session().kind).toBe('none');
  });

  it('stores a key with its rights, and replaces an admin token', async () => {
    const { session, signInKey } = await start({ admin_token: 'T' });
    await signInKey('K');
    expect(session()).toMatchObject({ kind: 'apikey', bits: 257 });
    expect(localStorage.getItem('api_key')).toBe('K');
    expect(localStorage.getItem('admin_token')).toBeNull();
  });

  it.each([
    [{}, 'no_permissions'],
    [{ permissions: { text: false } }, 'no_rights'],
  ])('refuses a key with the answer %o', async (answer, code) => {
    calls.testKey.mockResolvedValue(answer);
    const { session, signInKey } = await start();
    await expect(signInKey('K')).rejects.toMatchObject({ code });
    expect(session().kind).toBe('none');
    expect(localStorage.getItem('api_key')).toBeNull();
  });

  it('forgets everything at sign-out, also without an answer, and says so', async () => {
    calls.logout.mockImplementation(failure({ failure: 'network' }));
    const { session, signOut } = await start({ admin_token: 'T' });
    sessionStorage.setItem('pp.something', 'x');
    localStorage.setItem('pp.own.drafts', 'x');
    localStorage.setItem('pp.editorMode', 'markdown');
    const changed = vi.fn();
    addEventListener('auth-state-changed', changed);
    await signOut();
    removeEventListener('auth-state-changed', changed);
    expect(session().kind).toBe('none');
    expect(localStorage.getItem('admin_token')).toBeNull();
    expect(sessionStorage.length).toBe(0);
    expect(localStorage.getItem('pp.own.drafts')).toBeNull();
    expect(localStorage.getItem('pp.editorMode')).toBe('markdown');
    expect(changed).toHaveBeenCalled();
  });
});

describe('the links of the header', () => {
  it('lead to the panel those whom it has something for, and who may yet sign in', async () => {
    const leads = async (permissions: object | undefined) => {
      const page = await start(
        permissions && { api_key: 'K', api_key_permissions: JSON.stringify(permissions) },
      );
      return page.linksFor(page.session()).some(({ path }) => path.startsWith('/admin'));
    };
    expect(await leads({ mount_view: true })).toBe(false);
    expect(await leads({ text: true })).toBe(true);
    expect(await leads(undefined)).toBe(true);
  });
});

describe('owning (spec §6)', () => {
  it('an admin owns all, a key its own with or without prefix, a visitor nothing', async () => {
    const key = await start({ api_key: 'K', api_key_info: JSON.stringify(keyAnswer.key_info) });
    expect(['k1', 'apikey:k1', 'apikey:k2', ''].map((by) => key.session().owns(by))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const admin = await start({ admin_token: 'T' });
    expect(admin.session().owns('apikey:k2')).toBe(true);
    const none = await start();
    expect(none.session().owns('')).toBe(false);
  });
});
