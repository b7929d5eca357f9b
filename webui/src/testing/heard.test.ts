import { fireEvent } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { noteHeard } from './heard';

it('ends what a module of ours listens for, on the window and on the document', () => {
  const [before, ours] = [vi.fn(), vi.fn()];
  addEventListener('online', before);
  const end = noteHeard();
  addEventListener('online', ours);
  document.addEventListener('visibilitychange', ours, true);
  fireEvent(window, new Event('online'));
  fireEvent(document, new Event('visibilitychange'));
  expect(ours).toHaveBeenCalledTimes(2);
  end();
  fireEvent(window, new Event('online'));
  fireEvent(document, new Event('visibilitychange'));
  expect(ours).toHaveBeenCalledTimes(2);
  expect(before).toHaveBeenCalledTimes(2);
  removeEventListener('online', before);
});

it('leaves to a package what it listens for', async () => {
  const frame = document.body.appendChild(document.createElement('iframe'));
  const other = frame.contentDocument;
  if (!other) throw new Error('a frame has a document');
  vi.stubGlobal('document', other);
  const end = noteHeard();
  const heard = vi.spyOn(other, 'removeEventListener');
  userEvent.setup({ document: other });
  end();
  expect(heard).not.toHaveBeenCalled();
});
