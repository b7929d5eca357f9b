import { describe, expect, it } from 'vitest';
import { returnPath, signInPath } from './RequireAccess';

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
