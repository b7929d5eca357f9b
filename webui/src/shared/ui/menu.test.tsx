import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Menu } from './Menu';
import { grouped } from './MenuItems';

it('puts lines between groups, which keys pass over, and ends with “…” what asks for more', async () => {
  const user = userEvent.setup();
  const rename = vi.fn();
  render(
    <Menu
      label="Deeds"
      button={(attributes) => <button {...attributes}>Open</button>}
      items={grouped(
        [false, { label: 'Look', run: vi.fn() }],
        [false],
        [
          { label: 'Copy', run: vi.fn() },
          { label: 'Rename', asks: true, run: rename },
        ],
      )}
    />,
  );
  await user.click(screen.getByRole('button', { name: 'Open' }));
  // None stands above the first group, nor for an empty one.
  expect(screen.getAllByRole('separator')).toHaveLength(1);
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual([
    'Look',
    'Copy',
    'Rename…',
  ]);
  await user.keyboard('{ArrowDown}{ArrowDown}{Enter}');
  expect(rename).toHaveBeenCalledOnce();
});
