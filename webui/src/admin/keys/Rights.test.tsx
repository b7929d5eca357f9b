import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { loadAreas } from '../../i18n';
import { Rights } from './fields';

it('says that a key has no permissions, in place of nothing', async () => {
  await loadAreas('admin');
  render(<Rights bits={0} />);
  expect(screen.getByText('None')).toBeDefined();
});
