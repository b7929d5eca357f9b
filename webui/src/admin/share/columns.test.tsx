import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../i18n';
import { openableColumns } from './columns';

it.each([
  [3, null, '3'],
  [1234, 5000, '1,234 of 5,000'],
  [5, 5, '5 of 5'],
])('%d views of %s are called as they are written', (views, max_views, said) => {
  const row = { expires_at: null, views, max_views };
  render(openableColumns<typeof row>(t, () => undefined).views.render(row));
  const button = screen.getByRole('button', { name: `Access log, views: ${said}` });
  expect(button.textContent).toBe(said);
});
