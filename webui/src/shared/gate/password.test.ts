import { beforeEach, describe, expect, it, vi } from 'vitest';
import { authEvents } from '../../api/credentials';

const secret = 'a quiet river';

beforeEach(() => {
  vi.resetModules();
  history.replaceState(null, '', '/paste/s1');
});

/** everything that the browser keeps for this site */
const kept = () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, history.state]);

describe("a share's password", () => {
  it('stands in no store of the browser and outlives no reload', async () => {
    const page = await import('./password');
    page.keepPassword('paste/s1', secret);
    expect(page.givenPassword('paste/s1')).toBe(secret);
    expect(kept()).not.toContain(secret);
    history.pushState(null, '', '/paste/s2');
    expect(page.givenPassword('paste/s2')).toBe('');
    history.pushState(null, '', '/paste/s1');
    expect(page.givenPassword('paste/s1')).toBe(secret);

    vi.resetModules(); // as a reload does
    const reloaded = await import('./password');
    expect(reloaded.givenPassword('paste/s1')).toBe('');
  });

  it('leaves the address bar at once', async () => {
    const page = await import('./password');
    history.replaceState(null, '', `/paste/s1?password=${encodeURIComponent(secret)}&x=1`);
    expect(page.givenPassword('paste/s1')).toBe(secret);
    expect(location.search).toBe('?x=1');
    expect(kept()).not.toContain('river');
    expect(page.givenPassword('paste/s1')).toBe(secret);
  });

  it('is forgotten when it was wrong, and by signing out', async () => {
    const page = await import('./password');
    page.keepPassword('paste/s1', secret);
    page.keepPassword('paste/s1', '');
    expect(page.givenPassword('paste/s1')).toBe('');
    page.keepPassword('paste/s1', secret);
    dispatchEvent(new CustomEvent(authEvents.signedOut));
    expect(page.givenPassword('paste/s1')).toBe('');
  });
});
