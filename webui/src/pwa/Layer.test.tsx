import { act, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { config } from '../config';
import { moving, movingAt } from '../shared/moving';
import { Layer } from './Layer';

const at = (path: string) => act(() => history.pushState(null, '', path));

afterEach(() => act(() => moving.set(null)));

it('says on other pages how far the uploads are, and leads to them (§4, upload stages)', () => {
  at('/');
  render(<Layer />);
  expect(screen.queryByRole('link')).toBeNull();
  act(() => moving.set(37));
  expect(screen.getByRole('link', { name: 'Uploading 37%' }).getAttribute('href')).toBe('/upload');
  for (const listed of ['/upload', '/mount-explorer/local']) {
    at(listed);
    expect(screen.queryByRole('link')).toBeNull();
  }
  at('/admin');
  act(() => moving.set(null));
  expect(screen.queryByRole('link')).toBeNull();
});

it('leads those who send to a request back to its page, which lists it', () => {
  at('/');
  render(<Layer />);
  act(() => movingAt.set('/r/abc'));
  act(() => moving.set(37));
  expect(screen.getByRole('link', { name: 'Uploading 37%' }).getAttribute('href')).toBe('/r/abc');
  for (const [path, isListed] of [
    ['/r/abc', true],
    ['/r/other', false],
    ['/upload', true],
  ] as const) {
    at(path);
    expect(screen.queryAllByRole('link'), path).toHaveLength(isListed ? 0 : 1);
  }
  act(() => movingAt.set('/upload'));
});

it('knows the way where the site is served under a path', () => {
  config.basePath = '/docks';
  try {
    at('/docks/upload');
    render(<Layer />);
    act(() => moving.set(37));
    expect(screen.queryByRole('link')).toBeNull();
    at('/docks/paste/tides');
    expect(screen.getByRole('link').getAttribute('href')).toBe('/docks/upload');
  } finally {
    config.basePath = '';
  }
});

it('ends pages with one line, but not the panel', () => {
  at('/');
  render(<Layer />);
  expect(screen.getByRole('contentinfo').querySelectorAll('button')).toHaveLength(1);
  at('/admin');
  expect(screen.queryByRole('contentinfo')).toBeNull();
});
