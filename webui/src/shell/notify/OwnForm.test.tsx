import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { loadAreas } from '../../i18n';
import { fakeApi } from '../../testing/fakeApi';
import { OwnForm } from './OwnForm';

it('takes recipients with any mark between them and none at the end, as the panel does', async () => {
  await loadAreas('channels');
  const api = fakeApi({ 'POST /notifications/channels': { code: 200, data: { id: 'c1' } } });
  const onDone = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <OwnForm onDone={onDone} />
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  await user.selectOptions(screen.getByLabelText('Type'), 'mail');
  await user.type(screen.getByLabelText('Name'), 'Mail');
  await user.type(screen.getByLabelText('Mail server'), 'smtp://mail.example.com:587');
  await user.type(screen.getByLabelText('To'), 'a@example.com; b@example.com，c@example.com,');
  await user.type(screen.getByLabelText('From'), 'paste@example.com');
  await user.click(screen.getByRole('button', { name: 'Add' }));
  await vi.waitFor(() => expect(onDone).toHaveBeenCalled());
  const to = ['a@example.com', 'b@example.com', 'c@example.com'];
  expect(api.calls[0]?.body).toMatchObject({ type: 'mail', to, user: '' });
  expect(api.calls[0]?.body).not.toHaveProperty('secret');
});
