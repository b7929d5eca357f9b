import { afterEach, describe, expect, it, vi } from 'vitest';
import { keepAwake } from './keepAwake';

function setUp() {
  const released: number[] = [];
  let asked = 0;
  const request = async () => {
    const number = ++asked;
    return { release: async () => void released.push(number) };
  };
  vi.stubGlobal('navigator', { wakeLock: { request } });
  return { released, asked: () => asked };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('keepAwake', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('asks again when the page comes back, and lets go at the end', async () => {
    const { released, asked } = setUp();
    const end = keepAwake();
    await settled();
    document.dispatchEvent(new Event('visibilitychange'));
    await settled();
    expect(asked()).toBe(2);
    end();
    expect(released).toEqual([2]);
    document.dispatchEvent(new Event('visibilitychange'));
    expect(asked()).toBe(2);
  });

  it('lets go of what was granted too late', async () => {
    const { released } = setUp();
    keepAwake()();
    await settled();
    expect(released).toEqual([1]);
  });

  it('is nothing where the browser has no such thing', () => {
    vi.stubGlobal('navigator', {});
    expect(keepAwake()()).toBeUndefined();
  });
});
