import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { LoginForm } from './LoginForm';

describe('LoginForm', () => {
  it('has the focus in its first field, and leaves it to who chooses the other way', async () => {
    render(<LoginForm onDone={() => {}} />);
    expect(document.activeElement).toBe(screen.getByLabelText('Username'));
    await userEvent.click(screen.getByRole('radio', { name: 'API key' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Administrator' }));
    expect(document.activeElement).toBe(screen.getByRole('radio', { name: 'Administrator' }));
  });
});
