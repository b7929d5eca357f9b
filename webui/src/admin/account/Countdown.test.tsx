import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { data, fakeApi } from '../../testing/fakeApi';
import { reasonToStay } from '../../shared/unsaved';
import { Questions } from '../../shared/ui';
import { Countdown } from './Countdown';

const seconds = (count: number) => act(() => vi.advanceTimersByTime(count * 1000));

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the countdown after a change of the account', () => {
  it('waits as long as somebody stays, and ends at once when they go', async () => {
    fakeApi({ 'POST /admin/logout': data(null) });
    vi.useFakeTimers();
    history.replaceState(null, '', '/admin/account');
    render(<Countdown />);
    expect(screen.getByRole('status').textContent).toContain('in 5 seconds');
    seconds(1);
    expect(screen.getByRole('status').textContent).toContain('in 4 seconds');
    fireEvent.click(screen.getByRole('button', { name: 'Stay here' }));
    seconds(60);
    expect(screen.getByRole('status').textContent).toContain('Your session has ended');
    vi.useRealTimers();
    fireEvent.click(screen.getByRole('button', { name: 'Sign out now' }));
    await vi.waitFor(() => expect(location.pathname).toBe('/admin'));
  });

  it('asks first where something is being uploaded, and stays for who says no', async () => {
    const { count } = fakeApi({ 'POST /admin/logout': data(null) });
    history.replaceState(null, '', '/admin/account');
    const done = reasonToStay({ holds: () => true });
    render(
      <>
        <Countdown />
        <Questions />
      </>,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Sign out now' }));
    const question = await screen.findByRole('alertdialog', { name: 'Stop uploading and sign out?' });
    fireEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText(/Your session has ended/)).toBeDefined();
    expect(location.pathname).toBe('/admin/account');
    expect(count('POST', '/admin/logout')).toBe(0);
    done();
  });
});
