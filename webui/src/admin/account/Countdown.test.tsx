import { act, fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter, Route, Routes } from 'react-router-dom';
import { afterEach, describe, expect, it, vi } from 'vitest';
import '../../testing/browser';
import { data, fakeApi } from '../../testing/fakeApi';
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
    render(
      <MemoryRouter initialEntries={['/admin/account']}>
        <Routes>
          <Route path="/admin/account" element={<Countdown />} />
          <Route path="/admin" element={<p>Signed out</p>} />
        </Routes>
      </MemoryRouter>,
    );
    expect(screen.getByRole('status').textContent).toContain('in 5 seconds');
    seconds(1);
    expect(screen.getByRole('status').textContent).toContain('in 4 seconds');
    fireEvent.click(screen.getByRole('button', { name: 'Stay here' }));
    seconds(60);
    expect(screen.getByRole('status').textContent).toContain('Your session has ended');
    vi.useRealTimers();
    fireEvent.click(screen.getByRole('button', { name: 'Sign out now' }));
    expect(await screen.findByText('Signed out')).toBeDefined();
  });
});
