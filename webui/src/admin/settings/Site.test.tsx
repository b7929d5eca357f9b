import { QueryClient } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { AdminContext, memoryStore } from 'react-admin';
import { expect, it } from 'vitest';
import { changeRules } from '../../shared/rules';
import { data, fakeApi } from '../../testing/fakeApi';
import { dataProvider } from '../data/provider';
import { wouterProvider } from '../router';
import SiteSettings from './Site';

const row = (key: string, value: string) => ({
  key,
  value,
  description: '',
  type: 'text',
  options: null,
  flags: 0,
});

function open(...rows: ReturnType<typeof row>[]) {
  const api = fakeApi({
    'GET /admin/settings?group=4': data(rows),
    'PUT /admin/settings/group/4': data({ updated: 1, errors: [] }),
  });
  render(
    <AdminContext
      dataProvider={dataProvider}
      routerProvider={wouterProvider}
      queryClient={new QueryClient()}
      store={memoryStore()}
    >
      <SiteSettings />
    </AdminContext>,
  );
  return api;
}

it('sends custom code as it was typed', async () => {
  const api = open(row('site_custom_head', '\n<meta name="a">\n'));
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText(/Inside <head>/), '  <!-- b -->\n');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.count('PUT', '/admin/settings/group/4')).toBe(1));
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({
    site_custom_head: '\n<meta name="a">\n  <!-- b -->\n',
  });
});

it('shows pictures of the footer as visitors see them, in privacy mode too', async () => {
  changeRules({ privacy: true });
  try {
    open(row('site_footer_markdown', '![Harbour](https://pictures.invalid/harbour.png)'));
    const picture = await screen.findByRole('img', { name: 'Harbour' });
    expect(picture.getAttribute('src')).toBe('https://pictures.invalid/harbour.png');
  } finally {
    changeRules({ privacy: false });
  }
});
