import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Entry } from '../../api/fs';
import { loadAreas } from '../../i18n';
import { Questions } from '../../shared/ui';
import { Queries } from '../../shared/query/Queries';
import { data, fakeApi } from '../../testing/fakeApi';
import TargetDialog from './TargetDialog';

const ships: Entry = { name: 'ships', path: '/m/ships/', isDirectory: true };
const log: Entry = { name: 'log.txt', path: '/m/log.txt', isDirectory: false, size: 1 };
const listing = (path: string, ...items: Entry[]) => data({ path, isVirtual: path === '/', items });

function open(entries: readonly Entry[]) {
  const api = fakeApi({
    'GET /fs/list?path=%2F': listing('/', { name: 'm', path: '/m/', isDirectory: true }),
    'GET /fs/list?path=%2Fm': listing('/m', ships, log),
    'GET /fs/list?path=%2Fm%2F': listing('/m', ships, log),
    'GET /fs/list?path=%2Fm%2Fships': listing('/m/ships'),
    'GET /fs/list?path=%2Fm%2Fships%2F': listing('/m/ships'),
    'POST /fs/batch-copy': data({ taskId: 't1' }),
    'GET /fs/tasks/t1': data({
      id: 't1',
      status: 'completed',
      title: '',
      items: { total: 1, completed: 1, skipped: 0, failed: 0 },
    }),
  });
  const onChanged = vi.fn();
  render(
    <>
      <TargetDialog
        deed="copy"
        entries={entries}
        from="/m"
        base="/"
        onClose={() => undefined}
        onChanged={onChanged}
      />
      <Questions />
    </>,
    { wrapper: Queries },
  );
  return { api, onChanged };
}

beforeEach(() => loadAreas('explorer'));
afterEach(() => vi.unstubAllGlobals());

describe('copying', () => {
  it('says what is copied, and copies beside the originals under new names', async () => {
    const { api } = open([ships, log]);
    expect(screen.getByRole('dialog', { name: 'Copy 2 items' })).toBeDefined();
    expect(screen.getByText('1 folder')).toBeDefined();
    expect(screen.getByText('1 file')).toBeDefined();
    expect(screen.getByText(/Copies in the same folder get new names/)).toBeDefined();
    expect(screen.queryByRole('radio', { name: 'Skip' })).toBeNull();
    await screen.findByRole('treeitem', { name: 'ships' });
    await userEvent.click(screen.getByRole('button', { name: 'Copy here' }));
    await waitFor(() => expect(api.count('POST', '/fs/batch-copy')).toBe(1));
    expect(api.calls.find(({ path }) => path === '/fs/batch-copy')?.body).toMatchObject({
      conflict: 'rename',
      items: [{ sourcePath: '/m/ships/', targetPath: '/m/ships/' }, { sourcePath: '/m/log.txt' }],
    });
  });

  it('names the one thing that is copied', async () => {
    open([ships]);
    expect(screen.getByRole('dialog', { name: 'Copy ships' })).toBeDefined();
    expect(screen.queryByText('1 folder')).toBeNull();
    await screen.findByRole('treeitem', { name: 'ships' });
  });

  it('asks before a folder goes into itself', async () => {
    const { api, onChanged } = open([ships]);
    await userEvent.click(await screen.findByText('ships'));
    const copy = screen.getByRole('button', { name: 'Copy here' });
    await userEvent.click(copy);
    const question = await screen.findByRole('alertdialog', { name: 'Copy a folder into itself?' });
    await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(api.count('POST', '/fs/batch-copy')).toBe(0);
    await userEvent.click(copy);
    const again = await screen.findByRole('alertdialog');
    await userEvent.click(within(again).getByRole('button', { name: 'Copy here' }));
    await waitFor(() => expect(onChanged).toHaveBeenCalledOnce());
    expect(api.count('POST', '/fs/batch-copy')).toBe(1);
  });
});
