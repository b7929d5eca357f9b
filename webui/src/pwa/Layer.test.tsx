import { act, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { moving } from '../shared/moving';
import '../testing/browser';
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
