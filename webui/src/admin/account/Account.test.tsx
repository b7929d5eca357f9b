import { QueryClient } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { AdminContext, memoryStore } from 'react-admin';
import { expect, it } from 'vitest';
import { loadAreas } from '../../i18n';
import { data, fakeApi } from '../../testing/fakeApi';
import { wouterProvider } from '../router';
import Account from '.';

it('the account is changed by what was typed alone, and a form that is not whole asks nothing of the server', async () => {
  await loadAreas('ops');
  const api = fakeApi({
    'GET /admin/sessions': data([]),
    'GET /admin/second-step': data({ enabled: false, recovery_codes_left: 0 }),
    'POST /admin/change-password': ({ body }) =>
      (body as { currentPassword: string }).currentPassword === ' old one '
        ? data(null)
        : Response.json({ code: 401, message: '' }, { status: 401 }),
  });
  const sent = () =>
    api.calls.filter(({ path }) => path === '/admin/change-password').map(({ body }) => body);
  render(
    <AdminContext routerProvider={wouterProvider} queryClient={new QueryClient()} store={memoryStore()}>
      <Account />
    </AdminContext>,
  );
  const user = userEvent.setup();
  const heading = await screen.findByRole('heading', { name: 'Change username or password' });
  const section = heading.closest('section') as HTMLElement;
  const form = within(section);
  const save = form.getByRole('button', { name: 'Save' });
  const current = form.getByLabelText('Current password');
  await user.click(save);
  expect(await form.findByText('Required')).toBeTruthy();
  expect(form.getByText('Enter a new username, a new password, or both')).toBeTruthy();
  // The list of what is wrong comes by itself and takes the focus; a person types after that.
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Required'));
  expect(section.contains(document.activeElement)).toBe(false);
  await user.type(current, 'wrong');
  await user.type(form.getByLabelText('New password'), ' a new one ');
  await user.type(form.getByLabelText('Repeat the new password'), ' a new one');
  await user.click(save);
  expect(await form.findByText('The passwords don’t match')).toBeTruthy();
  expect(sent()).toEqual([]);
  await user.type(form.getByLabelText('Repeat the new password'), ' ');
  await user.click(save);
  expect((await form.findByRole('alert')).textContent).not.toBe('');
  await user.clear(current);
  await user.type(current, ' old one ');
  await user.click(save);
  await waitFor(() => expect(screen.queryByLabelText('Current password')).toBeNull());
  expect(sent()).toEqual([
    { currentPassword: 'wrong', newPassword: ' a new one ' },
    { currentPassword: ' old one ', newPassword: ' a new one ' },
  ]);
});
