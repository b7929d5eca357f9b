import { QueryClient } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { AdminContext, memoryStore, ResourceContextProvider } from 'react-admin';
import { expect, it } from 'vitest';
import { fakeApi } from '../../testing/fakeApi';
import { dataProvider } from '../data/provider';
import { wouterProvider } from '../router';
import Tasks from '../tasks';

const task = {
  id: 't1',
  type: 'copy',
  title: '/disk/a.txt',
  status: 'completed',
  progress: 100,
  bytes: { total: 0, done: 0 },
  items: { total: 1, completed: 1, skipped: 0, failed: 0 },
  error: null,
  created_at: '2026-11-01T00:00:00Z',
};

it('a list is searched, filtered and paged; clearing the filters empties their fields', async () => {
  const found = (query: URLSearchParams) => (query.get('search') ? [] : [task]);
  const api = fakeApi({
    'GET /fs/tasks': ({ path }) => {
      const tasks = found(new URLSearchParams(path.split('?')[1]));
      return { code: 200, data: { tasks, pagination: { total: tasks.length && 41 } } };
    },
  });
  const last = () => new URLSearchParams(api.calls.at(-1)?.path.split('?')[1]);
  render(
    <AdminContext
      dataProvider={dataProvider}
      routerProvider={wouterProvider}
      queryClient={new QueryClient()}
      store={memoryStore()}
    >
      <ResourceContextProvider value="tasks">
        <Tasks />
      </ResourceContextProvider>
    </AdminContext>,
  );
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Last page' }));
  await waitFor(() => expect(last().get('offset')).toBe('40'));
  expect(await screen.findByText('41–41 of 41')).toBeTruthy();
  await user.selectOptions(screen.getByLabelText('Rows per page'), '50');
  await waitFor(() => expect(last().get('limit')).toBe('50'));
  const status = screen.getByLabelText<HTMLSelectElement>('Status');
  await user.selectOptions(status, 'completed');
  await waitFor(() => expect(last().get('status')).toBe('completed'));
  const search = screen.getByRole<HTMLInputElement>('searchbox');
  await user.type(search, 'log');
  await waitFor(() => expect(last().get('search')).toBe('log'));
  expect(last().get('status')).toBe('completed');
  await user.click(screen.getByRole('button', { name: 'Clear search' }));
  await waitFor(() => expect(last().get('search')).toBeNull());
  await user.type(search, 'log');
  await user.click(await screen.findByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(search.value + status.value).toBe(''));
  expect(await screen.findByText('/disk/a.txt')).toBeTruthy();
});
