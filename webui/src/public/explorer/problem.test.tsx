import { render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/client';
import { loadAreas } from '../../i18n';
import { queryClient } from '../../shared/query/client';
import { Queries } from '../../shared/query/Queries';
import { data, fakeApi, type Routes } from '../../testing/fakeApi';
import { FolderProblem } from './FolderProblem';
import { parentOf } from './place';

const folder = (path: string) => `/fs/get?path=${encodeURIComponent(path)}`;

function show(error: ApiError, path: string, routes: Routes, base = '/') {
  const api = fakeApi(routes);
  render(
    <FolderProblem
      error={error}
      path={path}
      base={base}
      parent={path === base ? '' : parentOf(path)}
      compact={false}
      onRetry={() => undefined}
    />,
    { wrapper: Queries },
  );
  return api;
}

const missing = new ApiError('', { status: 404, code: 'not_found' });
const unavailable = new ApiError('', { status: 503, code: 'storage_unavailable' });

beforeEach(() => loadAreas('explorer'));
afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
});

describe('a folder that does not exist', () => {
  it('leads to the nearest one above that does', async () => {
    const api = show(missing, '/m/港口/b/c', { [`GET ${folder('/m/港口')}`]: data({}) });
    const link = await screen.findByRole('link', { name: 'Go to /m/港口' });
    expect(link.getAttribute('href')).toBe('/mount-explorer/m/%E6%B8%AF%E5%8F%A3');
    expect(api.calls.map(({ path }) => path)).toEqual(['/m/港口/b/c', '/m/港口/b', '/m/港口'].map(folder));
  });

  it('leads no higher than a key may go', async () => {
    const api = show(missing, '/team/a/b', {}, '/team');
    expect(await screen.findByRole('link', { name: 'Go to /team' })).toBeDefined();
    expect(api.calls.map(({ path }) => path)).toEqual(['/team/a/b', '/team/a'].map(folder));
  });

  it('is shown as the file that it is', async () => {
    show(missing, '/m/ships/100%.md', {
      [`GET ${folder('/m/ships/100%.md')}`]: data({ isDirectory: false }),
    });
    await waitFor(() => expect(location.search).toBe('?preview=100%25.md'));
    expect(location.pathname).toBe('/mount-explorer/m/ships');
  });

  it('leads to the mounts when nothing of it exists', async () => {
    show(missing, '/gone', {});
    expect(await screen.findByRole('link', { name: 'Go to All files' })).toBeDefined();
  });
});

describe('a storage that does not answer', () => {
  const mounts = [
    { name: 'All', mount_path: '/m' },
    { name: 'Ships', mount_path: '/m/ships' },
    { name: 'Shipyard', mount_path: '/m/shipyard' },
  ];

  it('is said by the name of the mount', async () => {
    show(unavailable, '/m/ships/2026', { 'GET /user/mounts': data(mounts) });
    expect(await screen.findByText('The mount “Ships” couldn’t be read')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined();
  });

  it('is said without it when nobody tells', async () => {
    show(unavailable, '/m', {});
    expect(await screen.findByText('Can’t open this folder')).toBeDefined();
  });
});
