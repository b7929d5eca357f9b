import { act, render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { authEvents } from '../api/credentials';
import { Gate } from './Gate';
import { returnPath, signInPath } from './returnPath';
import { keySession, show, visitor } from './session';
import { startSession } from './validity';

describe('the sign-in card', () => {
  it('leads back to the very place, with its query and its tab', () => {
    history.replaceState(null, '', '/upload?a=1#url');
    render(<Gate need="upload" />);
    const to = screen.getByRole('link', { name: 'Sign in' }).getAttribute('href') ?? '';
    expect(returnPath(to.slice(to.indexOf('?')))).toBe('/upload?a=1#url');
  });

  it('says so where a key has just been refused', () => {
    startSession();
    show(keySession({ name: 'ci' }));
    render(<Gate need="upload" />);
    expect(screen.queryByText('The API key is invalid or has expired')).toBeNull();
    act(() => void dispatchEvent(new CustomEvent(authEvents.keyInvalid)));
    expect(screen.getByText('The API key is invalid or has expired')).toBeDefined();
    expect(screen.getByText(/that can share files/)).toBeDefined();
    act(() => show(keySession({ name: 'ci' })));
    expect(screen.queryByText('The API key is invalid or has expired')).toBeNull();
    act(() => show(visitor));
  });
});

describe('the way back after sign-in', () => {
  it('survives the address', () => {
    const path = signInPath('/upload#url');
    expect(returnPath(path.slice(path.indexOf('?')))).toBe('/upload#url');
  });

  it.each([
    ['?to=https://evil.example', undefined],
    ['?to=//evil.example', undefined],
    ['?to=/%5Cevil.example', undefined],
    ['?to=javascript:alert(1)', undefined],
    ['?to=/admin', undefined],
    ['?to=/admin/settings', undefined],
    ['', undefined],
    ['?to=/paste/a', '/paste/a'],
    ['?to=/', '/'],
  ])('out of %s is %s', (search, want) => {
    expect(returnPath(search)).toBe(want);
  });
});
