import { render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { loadAreas } from '../../i18n';
import TextPreview from './TextPreview';

const table = vi.hoisted(() => {
  let come: (module: { default: () => string }) => void = () => undefined;
  const code = new Promise<{ default: () => string }>((resolve) => (come = resolve));
  return { code, come: () => come({ default: () => 'the table' }) };
});
vi.mock('./TableView', () => table.code);

afterEach(() => vi.unstubAllGlobals());

it('lets what stands below a table come when the table is there', async () => {
  await loadAreas('preview', 'viewers');
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('ship,berth\nAurora,4\n')));
  const onSettled = vi.fn();
  const file = {
    filename: 'berths.csv',
    mimetype: 'text/csv',
    type: 4,
    size: 20,
    viewUrl: '/view',
    readUrl: '/read',
    downloadUrl: '/download',
  } as const;
  render(<TextPreview file={file} kind="text" onSettled={onSettled} />);
  await screen.findByText('2 lines');
  expect(onSettled).not.toHaveBeenCalled();
  table.come();
  await screen.findByText('the table');
  await waitFor(() => expect(onSettled).toHaveBeenCalled());
});
