import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminSession, show, visitor } from '../../../auth/session';
import { backups } from './backup';

const path = '/m/log.txt';

beforeEach(() => show(adminSession()));
afterEach(() => {
  show(visitor);
  backups.forget(path);
});

describe('what a page leaves when it goes away', () => {
  it('is kept while its writer is signed in', () => {
    backups.keepLast(path, 'one');
    expect(backups.get(path)?.text).toBe('one');
  });

  it('is not kept after sign-out, which has removed what was there', () => {
    backups.keep(path, 'one');
    backups.forget(path);
    show(visitor);
    backups.keepLast(path, 'one and two');
    expect(backups.get(path)).toBeUndefined();
  });

  it('goes on being kept where the session has run out', () => {
    backups.keep(path, 'one');
    show(visitor);
    backups.keepLast(path, 'one and two');
    expect(backups.get(path)?.text).toBe('one and two');
  });
});
