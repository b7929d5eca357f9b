import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadAreas } from '../../i18n';
import { Queries } from '../../shared/query/Queries';
import { fakeApi } from '../../testing/fakeApi';
import ShareDialog from './ShareDialog';

beforeEach(() => loadAreas('explorer', 'share', 'shareBox'));
afterEach(() => vi.unstubAllGlobals());

it('leads to a wrong limit of downloads instead of sharing', async () => {
  const api = fakeApi({});
  const file = (name: string) => ({ path: `/m/${name}`, name, isDirectory: false });
  render(
    <ShareDialog
      entries={[file('a.txt'), file('b.txt')]}
      onShared={() => undefined}
      onClose={() => undefined}
    />,
    { wrapper: Queries },
  );
  const limit = await screen.findByLabelText(/^Download limit/);
  await userEvent.type(limit, '7x');
  await userEvent.click(screen.getByRole('button', { name: 'Create share' }));
  await waitFor(() => expect(document.activeElement).toBe(limit));
  expect(limit.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('Enter a number from 0 to 999,999')).toBeDefined();
  expect(api.calls.filter(({ method }) => method === 'POST')).toEqual([]);
});
