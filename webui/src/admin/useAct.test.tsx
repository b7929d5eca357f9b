import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { AdminContext, memoryStore } from 'react-admin';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../api/errors';
import { t } from '../i18n';
import { Questions, Toasts } from '../shared/ui';
import { Notices } from './frame/Notices';
import { questionOf, useAct } from './useAct';

it('a question has the texts of its name, and asks the catalogue for none that it is given', () => {
  const missing = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const title = 'Delete all expired texts?';
  expect(questionOf(t, 'admin.texts.clear', { confirmLabel: 'Clear' })).toMatchObject({
    title,
    confirmLabel: 'Clear',
  });
  expect(questionOf(t, 'admin.keys.retire', { values: { name: 'ci' } }).title).toContain('ci');
  expect(missing).not.toHaveBeenCalled();
  missing.mockRestore();
});

it('what is agreed to is done, and what came of it is said in passing', async () => {
  const run = vi
    .fn(() => Promise.resolve(3))
    .mockRejectedValueOnce(new ApiError('No such key', { status: 404 }));
  function Control() {
    const { ask } = useAct();
    const done = (count: number) => `${count} done`;
    return <button onClick={() => void ask('admin.keys.retire', { run, done })}>Go</button>;
  }
  render(
    <AdminContext store={memoryStore()}>
      <Control />
      <Notices />
      <Questions />
      <Toasts />
    </AdminContext>,
  );
  const user = userEvent.setup();
  for (const said of ['No such key', '3 done']) {
    await user.click(screen.getByRole('button', { name: 'Go' }));
    const question = await screen.findByRole('alertdialog');
    await user.click(screen.getByRole('button', { name: t('admin.keys.retire') }));
    await waitFor(() => expect(question.isConnected).toBe(false));
    expect(await screen.findByText(said)).toBeTruthy();
  }
  expect(run).toHaveBeenCalledTimes(2);
});
