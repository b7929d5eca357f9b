import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadAreas } from '../../i18n';
import { Queries } from '../../shared/query/Queries';
import { fakeApi, refused } from '../../testing/fakeApi';
import { hrefOf } from './place';
import { PreviewPane } from './PreviewPane';

const folder = '/m';
const here = () => location.pathname + location.search;

async function open() {
  // What cannot be read loads no viewer.
  fakeApi({ 'GET /fs/get': refused(403, 'forbidden') });
  history.replaceState(null, '', hrefOf(folder, 'a.bin'));
  render(
    <>
      <input aria-label="elsewhere" />
      <button aria-controls="pp-nav">Menu</button>
      <PreviewPane
        path="/m/a.bin"
        crumbs={() => null}
        siblings={[]}
        marks={new Map()}
        onDownload={() => undefined}
        onAsk={() => undefined}
        onSaved={() => undefined}
      />
    </>,
    { wrapper: Queries },
  );
  await screen.findByRole('alert');
}

beforeEach(() => loadAreas('explorer'));
afterEach(() => vi.unstubAllGlobals());

describe('Escape in a preview', () => {
  it('is left to what has one of its own, and counts once when it is held', async () => {
    await open();
    fireEvent.keyDown(screen.getByLabelText('elsewhere'), { key: 'Escape' });
    fireEvent.keyDown(screen.getByRole('button', { name: 'Menu' }), { key: 'Escape' });
    fireEvent.keyDown(document.body, { key: 'Escape', repeat: true });
    expect(here()).toBe(hrefOf(folder, 'a.bin'));
  });

  it('leads back to the folder', async () => {
    await open();
    fireEvent.keyDown(document.body, { key: 'Escape' });
    expect(here()).toBe(hrefOf(folder));
  });
});
