import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadAreas } from '../../i18n';
import { Queries } from '../../shared/query/Queries';
import ReadmePanel from './ReadmePanel';

const entry = { name: 'README.md', path: '/m/README.md', isDirectory: false, size: 20 };

/** shown draws a README that is so high as a browser would tell. */
async function shown(height: number) {
  let tell: () => void = () => undefined;
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly told: (entries: unknown[]) => void) {}
      observe() {
        tell = () => this.told([{ contentRect: { width: 800 } }]);
      }
      disconnect() {
        tell = () => undefined;
      }
    },
  );
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(height);
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('See the [pier](/pier).\n')));
  render(<ReadmePanel entry={entry} />, { wrapper: Queries });
  await screen.findByRole('link', { name: 'pier' });
  act(() => tell());
}

beforeEach(() => loadAreas('explorer'));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('shows the beginning of a long README, and all of it on request', async () => {
  await shown(2000);
  await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  expect(screen.getByRole('link', { name: 'pier' })).toBeDefined();
});

it('shows all of a long README to whoever moves the focus into it, and keeps it there', async () => {
  await shown(2000);
  const link = screen.getByRole('link', { name: 'pier' });
  act(() => link.focus());
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  expect(document.activeElement).toBe(link);
});

it('asks nothing where the README is short', async () => {
  await shown(200);
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
});
