import { describe, expect, it } from 'vitest';
import { allBits, bitsOf, mountBits, namesOf, permissions, within } from './permissions';

describe('permissions (spec §6)', () => {
  it('are the bits of the specification', () => {
    expect(permissions).toEqual({
      TEXT: 1,
      FILE_SHARE: 2,
      MOUNT_VIEW: 256,
      MOUNT_UPLOAD: 512,
      MOUNT_COPY: 1024,
      MOUNT_RENAME: 2048,
      MOUNT_DELETE: 4096,
      WEBDAV_READ: 65536,
      WEBDAV_MANAGE: 131072,
    });
    expect(allBits).toBe(204547);
    expect(mountBits).toBe(7936);
  });

  it.each([
    [{ text: true, file: false }, 1],
    [{ text: true, file: true, mount_view: true, webdav_manage: true }, 1 + 2 + 256 + 131072],
    [{}, 0],
    [{ text: 'true' }, 0],
    [66307, 66307],
    [0, 0],
    [-1, undefined],
    [1.5, undefined],
    [undefined, undefined],
    [null, undefined],
    ['3', undefined],
  ])('bitsOf(%o) is %s', (given, want) => {
    expect(bitsOf(given)).toBe(want);
  });

  it('names what is set', () => {
    expect(namesOf(1 | 4096)).toEqual(['TEXT', 'MOUNT_DELETE']);
  });
});

describe('within', () => {
  it.each([
    ['/', '/anything', true],
    ['/team/a', '/team/a', true],
    ['/team/a/', '/team/a', true],
    ['/team/a', '/team/a/x', true],
    ['/team/a', '/team/ab', false],
    ['/team/a', '/team', false],
    ['/文档', '/文档/甲', true],
  ])('%s contains %s: %s', (base, path, want) => {
    expect(within(base, path)).toBe(want);
  });
});
