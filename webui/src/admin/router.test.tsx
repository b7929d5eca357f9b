import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useLeaveGuard } from '../shared/useLeaveGuard';
import {
  Link,
  matchPath,
  Navigate,
  Route,
  Routes,
  useLocation,
  useNavigate,
  useParams,
  useSearchParams,
  wouterProvider,
} from './router';

const { Outlet, RouterWrapper } = wouterProvider;

beforeEach(() => history.replaceState(null, '', '/admin/keys'));

describe('matchPath', () => {
  it.each([
    ['/admin/*', '/admin', { '*': '' }, '/admin'],
    ['/admin/*', '/admin/keys/1', { '*': 'keys/1' }, '/admin'],
    ['/admin/:id/*', '/admin/a%20b/show', { id: 'a b', '*': 'show' }, '/admin/a%20b'],
    ['*', '/anything/at/all', { '*': 'anything/at/all' }, '/'],
    ['/', '/', {}, '/'],
    ['/a.b', '/a.b/', {}, '/a.b'],
  ])('%s takes %s', (pattern, path, params, pathnameBase) => {
    expect(matchPath(pattern, path)).toMatchObject({ params, pathnameBase });
  });

  it.each([
    ['/admin/*', '/administration'],
    ['/a.b', '/axb'],
    ['/admin/:id', '/admin/1/show'],
    ['/admin/:id', '/admin'],
  ])('%s refuses %s', (pattern, path) => expect(matchPath(pattern, path)).toBeNull());

  it('may leave what follows open', () => {
    expect(matchPath({ path: '/admin', end: false }, '/admin/keys')?.pathname).toBe('/admin');
    expect(matchPath({ path: '/admin', end: false }, '/administration')).toBeNull();
  });
});

function Where() {
  const { pathname, search } = useLocation();
  return (
    <p>
      {pathname}
      {search} {JSON.stringify(useParams())}
    </p>
  );
}

/** The routes of react-admin: pages below a layout, each with pages of its own. */
const tree = (
  <RouterWrapper basename="/admin">
    <Routes>
      <Route
        path="/*"
        element={
          <Routes>
            <Route
              path="keys/*"
              element={
                <Routes>
                  <Route path=":id" element={<Where />} />
                  <Route path="create" element={<p>a new key</p>} />
                  <Route index element={<p>all keys</p>} />
                </Routes>
              }
            />
            <Route path="old" element={<Navigate to="/admin/keys/7" replace />} />
            <Route path="framed" element={<Outlet />}>
              <Route path="inside" element={<p>in the frame</p>} />
            </Route>
            <Route path="/" element={<p>the first page</p>} />
            <Route path="*" element={<p>nothing here</p>} />
          </Routes>
        }
      />
    </Routes>
  </RouterWrapper>
);

describe('routes', () => {
  it.each([
    ['/admin', 'the first page'],
    ['/admin/keys', 'all keys'],
    ['/admin/keys/create', 'a new key'],
    ['/admin/keys/7?tab=path', '/admin/keys/7?tab=path {"*":"7","id":"7"}'],
    ['/admin/old', '/admin/keys/7 {"*":"7","id":"7"}'],
    ['/admin/framed/inside', 'in the frame'],
    ['/admin/none', 'nothing here'],
  ])('%s shows %s', async (path, want) => {
    history.replaceState(null, '', path);
    render(tree);
    expect(await screen.findByText(want)).toBeDefined();
  });

  it('follow Back and Forward', async () => {
    render(tree);
    act(() => history.pushState(null, '', '/admin/keys/create'));
    expect(await screen.findByText('a new key')).toBeDefined();
    act(() => history.back());
    expect(await screen.findByText('all keys')).toBeDefined();
  });
});

describe('navigate', () => {
  it.each([
    ['/admin/shares', '/admin/shares'],
    ['?page=2', '/admin/keys?page=2'],
    ['create', '/admin/keys/create'],
    [{ search: '?filter=%2541' }, '/admin/keys?filter=%2541'],
    [{ pathname: '/admin/audit', search: 'a=1', hash: '#b' }, '/admin/audit?a=1#b'],
  ])('goes to %j', (to, want) => {
    useNavigate()(to);
    expect(location.pathname + location.search + location.hash).toBe(want);
  });

  it('carries a state, and can take the place of the page', () => {
    const before = history.length;
    useNavigate()('/admin/keys/create', { replace: true, state: { of: 1 } });
    expect(history.length).toBe(before);
    expect(history.state).toMatchObject({ of: 1 });
  });

  it('goes by steps', async () => {
    history.pushState(null, '', '/admin/audit');
    useNavigate()(-1);
    await waitFor(() => expect(location.pathname).toBe('/admin/keys'));
  });
});

it('useSearchParams reads and writes the query as it is', async () => {
  history.replaceState(null, '', '/admin/keys?q=%2541');
  function Query() {
    const [params, write] = useSearchParams();
    return <button onClick={() => write({ q: '100%' }, { replace: true })}>{params.get('q')}</button>;
  }
  render(<Query />);
  await userEvent.click(screen.getByRole('button', { name: '%41' }));
  expect(screen.getByRole('button', { name: '100%' })).toBeDefined();
});

describe('a guarded page', () => {
  const mayLeave = vi.fn<() => Promise<boolean>>();
  function Form() {
    useLeaveGuard(true, mayLeave);
    const go = useNavigate();
    return (
      <>
        <Link to="/admin/audit">audit</Link>
        <button onClick={() => go('/admin/shares')}>cancel</button>
        <button onClick={() => go('?tab=path')}>tab</button>
      </>
    );
  }

  it.each([
    ['link', 'audit', '/admin/audit'],
    ['button', 'cancel', '/admin/shares'],
  ])('asks once before a %s leads away', async (role, name, target) => {
    mayLeave.mockReset();
    render(<Form />);
    mayLeave.mockResolvedValueOnce(false);
    await userEvent.click(screen.getByRole(role, { name }));
    expect(mayLeave).toHaveBeenCalledOnce();
    expect(location.pathname).toBe('/admin/keys');
    mayLeave.mockResolvedValueOnce(true);
    await userEvent.click(screen.getByRole(role, { name }));
    await waitFor(() => expect(location.pathname).toBe(target));
    expect(mayLeave).toHaveBeenCalledTimes(2);
  });

  it('asks nothing while one stays on it', async () => {
    mayLeave.mockReset();
    render(<Form />);
    await userEvent.click(screen.getByRole('button', { name: 'tab' }));
    expect(location.search).toBe('?tab=path');
    expect(mayLeave).not.toHaveBeenCalled();
  });
});
