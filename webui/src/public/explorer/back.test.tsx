import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadAreas } from '../../i18n';
import { queryClient } from '../../shared/query/client';
import { folderChanged } from '../../shared/query/folders';
import { Queries } from '../../shared/query/Queries';
import { data, fakeApi } from '../../testing/fakeApi';
import { FolderPage } from './FolderPage';
import { hrefOf, usePlace } from './place';

const file = (name: string) => ({ name, path: `/m/${name}`, isDirectory: false, size: 1, modified: null });

function Page() {
  return <FolderPage place={usePlace()} base="/" />;
}

beforeEach(() => loadAreas('explorer'));
afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
});

const listing = (...names: string[]) => data({ path: '/m/', isVirtual: false, items: names.map(file) });

it('the entry in the place of a deleted one takes the focus (§2, mount explorer)', async () => {
  fakeApi({ 'GET /fs/list?path=%2Fm': listing('a.bin', 'b.bin', 'c.bin') });
  history.replaceState(null, '', hrefOf('/m'));
  render(<Page />, { wrapper: Queries });
  const at = async (name: string) =>
    (await screen.findByRole('link', { name })).closest<HTMLElement>('[data-index]');
  (await at('b.bin'))?.focus();
  fakeApi({ 'GET /fs/list?path=%2Fm': listing('a.bin', 'c.bin') });
  await act(() => folderChanged('/m'));
  await waitFor(() => expect(screen.queryByRole('link', { name: 'b.bin' })).toBeNull());
  expect(document.activeElement).toBe(await at('c.bin'));
});

it('a file that is opened takes the focus, and its entry does afterwards (§2, mount explorer)', async () => {
  fakeApi({
    'GET /fs/list?path=%2Fm': listing('a.bin', 'b.bin'),
    'GET /fs/get?path=%2Fm%2Fb.bin': data({ ...file('b.bin'), contentType: 'application/octet-stream' }),
  });
  history.replaceState(null, '', hrefOf('/m'));
  render(<Page />, { wrapper: Queries });
  await userEvent.click(await screen.findByRole('link', { name: 'b.bin' }));
  const heading = await screen.findByRole('heading', { name: 'b.bin' });
  expect(document.activeElement).toBe(heading);
  fireEvent.keyDown(heading, { key: 'Escape' });
  await waitFor(() => expect(document.activeElement?.getAttribute('data-index')).toBe('1'));
  expect(location.search).toBe('');
});
