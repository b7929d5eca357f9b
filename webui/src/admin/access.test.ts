import { describe, expect, it } from 'vitest';
import { permissions, type Permission } from '../auth/permissions';
import { adminSession, keySession, mayEnter, visitor } from '../auth/session';
import { mayUse } from './access';
import { firstPath, pageAt, pages, usablePages } from './pages';

const paths = (list: readonly { path: string }[]) => list.map((page) => page.path);

describe('the pages of a key with one bit alone (spec §5, §6)', () => {
  const table: Record<Permission, string[]> = {
    TEXT: ['text-management'],
    FILE_SHARE: ['file-management', 'requests'],
    MOUNT_VIEW: [],
    MOUNT_UPLOAD: [],
    MOUNT_COPY: [],
    MOUNT_RENAME: [],
    MOUNT_DELETE: [],
    WEBDAV_READ: [],
    WEBDAV_MANAGE: [],
  };
  it.each(Object.entries(table))('%s: %s', (name, want) => {
    const session = keySession({ bits: permissions[name as Permission] });
    expect(paths(usablePages(session))).toEqual(want);
    expect(mayEnter(session)).toBe(want.length > 0);
    expect(firstPath(session)).toBe(want[0] ?? '');
  });

  it('are all for the administrator and none for a visitor', () => {
    expect(usablePages(adminSession())).toEqual(pages);
    expect(firstPath(adminSession())).toBe('');
    expect(usablePages(visitor)).toEqual([]);
    expect(mayEnter(visitor)).toBe(false);
  });

  it('are the administrator’s alone where no bit is named, whatever bits a key has', () => {
    const all = keySession({ bits: 204547 });
    expect(mayUse(all, 'admin')).toBe(false);
    expect(paths(usablePages(all))).toEqual(['text-management', 'file-management', 'requests']);
  });
});

describe('pageAt', () => {
  it.each([
    ['/admin', ''],
    ['/admin/', ''],
    ['/admin/key-management/create', 'key-management'],
    ['/admin/settings/site', 'settings/site'],
    ['/admin/text-management2', undefined],
    ['/admin/nothing', undefined],
  ])('%s is %s', (address, want) => {
    expect(pageAt(address)?.path).toBe(want);
  });
});
