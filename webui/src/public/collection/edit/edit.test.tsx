import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { signInAdmin, signOut } from '../../../auth/signIn';
import { loadAreas } from '../../../i18n';
import { queryClient } from '../../../shared/query/client';
import { data, fakeApi } from '../../../testing/fakeApi';
import EditPage from './index';

afterEach(async () => {
  fakeApi({ 'POST /admin/logout': data(null) });
  await signOut();
  queryClient.clear();
  vi.unstubAllGlobals();
});

it('leads to a wrong limit of downloads instead of saving it', async () => {
  const api = fakeApi({
    'POST /admin/login': data({ token: 'T' }),
    'GET /collections/all': data({ id: 'c1', slug: 'all', title: 'All', items: [], has_password: false }),
  });
  await loadAreas('collectionEdit', 'shareEdit', 'share', 'file', 'several');
  await signInAdmin('admin', 'pw');
  render(<EditPage slug="all" />);
  const limit = await screen.findByLabelText(/^Download limit/);
  await userEvent.type(limit, 'x');
  const save = screen.getByRole('button', { name: 'Save' });
  await userEvent.click(save);
  await waitFor(() => expect(document.activeElement).toBe(limit));
  expect(api.calls.filter(({ method }) => method !== 'GET').map(({ path }) => path)).toEqual([
    '/admin/login',
  ]);
});
