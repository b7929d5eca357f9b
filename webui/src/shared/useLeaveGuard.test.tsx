import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Link, Router, useLocation } from 'wouter';
import { useLeaveGuard } from './useLeaveGuard';
import { aroundNav, leaveGuard } from './page';

const mayLeave = vi.fn<() => Promise<boolean>>();
const heard = vi.fn();

function Page({ dirty }: { dirty: boolean }) {
  useLeaveGuard(dirty, mayLeave);
  const [, go] = useLocation();
  return (
    <>
      <button onClick={() => go('/elsewhere')}>a key</button>
      <button onClick={() => go('/edited')}>here</button>
      <button onClick={() => go('/moved', { replace: true })}>moved</button>
      <a href="/elsewhere">elsewhere</a>
      <Link href="/other" replace state={{ from: 'edited' }}>
        another
      </Link>
      <a href="/edited#field">a field</a>
      <a href="#">a problem</a>
      <a href="/file" download onClick={(event) => event.preventDefault()}>
        a file
      </a>
    </>
  );
}

const answer = (sure: boolean) => mayLeave.mockResolvedValueOnce(sure);

// As the shell does, which is the first to hear of a step.
let at = 2;
const first = (event: PopStateEvent) => {
  const to = (event.state as { at: number } | null)?.at;
  // A place on the same page.
  if (to === undefined) return;
  if (leaveGuard.get()?.step(to - at)) event.stopImmediatePropagation();
  else at = to;
};

beforeEach(() => {
  history.pushState({ at: 1 }, '', '/before');
  history.pushState({ at: 2 }, '', '/edited');
  at = 2;
  mayLeave.mockReset();
  heard.mockReset();
  addEventListener('popstate', first);
  addEventListener('popstate', heard);
});

afterEach(() => {
  removeEventListener('popstate', first);
  removeEventListener('popstate', heard);
});

// As in the app.
const wrapper = ({ children }: { children: ReactNode }) => <Router aroundNav={aroundNav}>{children}</Router>;

describe('a guarded page', () => {
  it('is left by a script only after one yes, but lets itself be replaced', async () => {
    render(<Page dirty />, { wrapper });
    const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
    await press('here');
    expect(mayLeave).not.toHaveBeenCalled();
    answer(false);
    await press('a key');
    await waitFor(() => expect(mayLeave).toHaveBeenCalledOnce());
    expect(location.pathname).toBe('/edited');
    answer(true);
    await press('a key');
    await waitFor(() => expect(location.pathname).toBe('/elsewhere'));
    expect(mayLeave).toHaveBeenCalledTimes(2);
    await press('moved');
    expect(location.pathname).toBe('/moved');
    expect(mayLeave).toHaveBeenCalledTimes(2);
  });

  it('is left by Back only after a yes', async () => {
    render(<Page dirty />);
    answer(false);
    act(() => history.back());
    await waitFor(() => expect(mayLeave).toHaveBeenCalledOnce());
    expect(location.pathname).toBe('/edited');
    expect(heard).not.toHaveBeenCalled();

    answer(true);
    act(() => history.back());
    await waitFor(() => expect(heard).toHaveBeenCalledOnce());
    expect(mayLeave).toHaveBeenCalledTimes(2);
    expect(location.pathname).toBe('/before');
  });

  it('is left by a link only after a yes', async () => {
    render(<Page dirty />);
    answer(false);
    await userEvent.click(screen.getByRole('link', { name: 'elsewhere' }));
    await waitFor(() => expect(mayLeave).toHaveBeenCalledOnce());
    expect(location.pathname).toBe('/edited');
    answer(true);
    await userEvent.click(screen.getByRole('link', { name: 'elsewhere' }));
    await waitFor(() => expect(location.pathname).toBe('/elsewhere'));
  });

  it('is left by a link as the link says: in the place of this page, and with its state', async () => {
    render(<Page dirty />, { wrapper });
    const before = history.length;
    answer(true);
    await userEvent.click(screen.getByRole('link', { name: 'another' }));
    await waitFor(() => expect(location.pathname).toBe('/other'));
    expect(history.state).toEqual({ from: 'edited' });
    expect(history.length).toBe(before);
    expect(mayLeave).toHaveBeenCalledOnce();
  });

  it('lets the tab ask before it closes, and links pass that do not lead away', async () => {
    render(<Page dirty />);
    expect(dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false);
    await userEvent.click(screen.getByRole('link', { name: 'a field' }));
    await userEvent.click(screen.getByRole('link', { name: 'a problem' }));
    await userEvent.click(screen.getByRole('link', { name: 'a file' }));
    expect(mayLeave).not.toHaveBeenCalled();
  });

  it('asks once, however often Back is pressed before the answer', async () => {
    let agree: (sure: boolean) => void = () => undefined;
    mayLeave.mockReturnValueOnce(new Promise((resolve) => (agree = resolve)));
    render(<Page dirty />);
    const guard = leaveGuard.get();
    if (!guard) throw new Error('no guard');
    const asked = vi.spyOn(guard, 'step');
    act(() => history.back());
    await waitFor(() => expect(asked.mock.calls).toEqual([[-1], [0]]));
    act(() => history.back());
    await waitFor(() => expect(asked.mock.calls).toEqual([[-1], [0], [-1], [0]]));
    expect(mayLeave).toHaveBeenCalledOnce();
    expect(location.pathname).toBe('/edited');

    agree(true);
    await waitFor(() => expect(heard).toHaveBeenCalledOnce());
    expect(location.pathname).toBe('/before');
  });

  it('is not left by a step to another place on it', async () => {
    history.pushState({ at: 3 }, '', '/edited#field');
    at = 3;
    render(<Page dirty />);
    act(() => history.back());
    await waitFor(() => expect(heard).toHaveBeenCalledOnce());
    expect(location.hash).toBe('');
    expect(mayLeave).not.toHaveBeenCalled();
    answer(false);
    act(() => history.back());
    await waitFor(() => expect(mayLeave).toHaveBeenCalledOnce());
    expect(location.pathname).toBe('/edited');
  });

  it('that has two reasons asks once, and still asks when one of them is gone', async () => {
    const Form = () => {
      useLeaveGuard(true, mayLeaveForm);
      return null;
    };
    const mayLeaveForm = vi.fn(() => Promise.resolve(false));
    const page = (form: boolean) => (
      <>
        <Page dirty />
        {form && <Form />}
      </>
    );
    const { rerender } = render(page(true));
    await userEvent.click(screen.getByRole('link', { name: 'elsewhere' }));
    expect(mayLeaveForm).toHaveBeenCalledOnce();
    expect(mayLeave).not.toHaveBeenCalled();

    rerender(page(false));
    answer(false);
    await userEvent.click(screen.getByRole('link', { name: 'elsewhere' }));
    expect(mayLeave).toHaveBeenCalledOnce();
    answer(false);
    act(() => history.back());
    await waitFor(() => expect(mayLeave).toHaveBeenCalledTimes(2));
    expect(location.pathname).toBe('/edited');
    expect(dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false);
    expect(mayLeaveForm).toHaveBeenCalledOnce();
  });

  it('is left without a question when everything is saved', async () => {
    render(<Page dirty={false} />);
    act(() => history.back());
    await waitFor(() => expect(location.pathname).toBe('/before'));
    expect(mayLeave).not.toHaveBeenCalled();
  });
});
