import { QueryClient } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { AdminContext, memoryStore, ResourceContextProvider } from 'react-admin';
import { expect, it } from 'vitest';
import { Questions, Toasts } from '../../shared/ui';
import { data, fakeApi } from '../../testing/fakeApi';
import { dataProvider } from '../data/provider';
import { wouterProvider } from '../router';
import KeyList from './KeyList';

const key = {
  id: 'k1',
  name: 'ci',
  key_masked: 'pp_…1',
  permissions: 1,
  basic_path: '/',
  is_guest: 0,
  is_active: 1,
  is_expired: 0,
  expires_at: '9999-12-31T23:59:59.000Z',
  created_at: '2026-11-01T00:00:00Z',
  last_used: null,
};

const byMenu = async (user: UserEvent) => {
  await user.click(await screen.findByRole('button', { name: 'Actions for ci' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
};

const selected = async (user: UserEvent) => {
  await user.click(await screen.findByRole('checkbox', { name: 'Select ci' }));
  await user.click(await screen.findByRole('button', { name: 'Delete (1)' }));
};

it.each([
  ['by its menu', byMenu],
  ['when it is selected', selected],
])('a key is deleted %s with its shares where that is wanted', async (_, remove) => {
  let rows = [key];
  const api = fakeApi({
    'GET /admin/api-keys': () => ({ code: 200, data: rows, pagination: { total: rows.length } }),
    'GET /admin/api-keys/k1/shares': data({ pastes: 1, files: 1, total: 2 }),
    'DELETE /admin/api-keys/k1': () => {
      rows = [];
      return data(null);
    },
  });
  render(
    <AdminContext
      dataProvider={dataProvider}
      routerProvider={wouterProvider}
      queryClient={new QueryClient()}
      store={memoryStore()}
    >
      <ResourceContextProvider value="key-management">
        <KeyList />
      </ResourceContextProvider>
      <Questions />
      <Toasts />
    </AdminContext>,
  );
  const user = userEvent.setup();
  await remove(user);
  const question = within(await screen.findByRole('alertdialog'));
  await user.click(await question.findByRole('switch'));
  await user.click(question.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(api.count('DELETE', '/admin/api-keys/k1?revoke_shares=true')).toBe(1));
  await waitFor(() => expect(screen.queryByText('ci')).toBeNull());
});
