import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { loadAreas } from '../../i18n';
import { UploadRow } from './UploadRow';
import { uploads, type Upload } from './uploads';

const fileOf = (name: string) => new File(['x'], name, { lastModified: 1 });

it('keeps the focus in the list when a button goes with what it did (§4, upload stages)', async () => {
  await loadAreas('file');
  uploads.add(['a', 'b'].map((name) => ({ file: fileOf(name), to: 'mount' as const })));
  const rows = (change: Partial<Upload> = {}) => (
    <ul>
      {uploads.get().items.map((item) => (
        <UploadRow key={item.id} item={{ ...item, ...change }} onRetry={() => undefined} />
      ))}
    </ul>
  );
  const list = render(rows({ status: 'uploading' }));
  screen.getByRole('button', { name: 'Cancel a' }).focus();
  list.rerender(rows({ status: 'cancelled' }));
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Try a again' }));
  list.rerender(rows());
  screen.getByRole('button', { name: 'Remove b' }).focus();
  list.rerender(rows());
  await userEvent.click(screen.getByRole('button', { name: 'Remove a' }));
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove b' }));
  uploads.reset();
});
