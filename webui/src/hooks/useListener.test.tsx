import { render } from '@testing-library/react';
import { useLayoutEffect } from 'react';
import { expect, it } from 'vitest';
import { useListener } from './useListener';

it('hears from the moment its component is on the page', () => {
  let heard = 0;
  function Inside() {
    useListener('pp-test', () => heard++);
    return null;
  }
  function Around() {
    useLayoutEffect(() => void dispatchEvent(new Event('pp-test')), []);
    return <Inside />;
  }
  const { unmount } = render(<Around />);
  expect(heard).toBe(1);
  unmount();
  dispatchEvent(new Event('pp-test'));
  expect(heard).toBe(1);
});
