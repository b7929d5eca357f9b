import { mountBits, permissions, type Permission } from '../../auth/permissions';

const { MOUNT_VIEW, WEBDAV_READ, WEBDAV_MANAGE } = permissions;

/** groups are the permissions as the form and the list show them. */
export const groups = {
  text: ['TEXT'],
  file: ['FILE_SHARE'],
  mount: ['MOUNT_VIEW', 'MOUNT_UPLOAD', 'MOUNT_COPY', 'MOUNT_RENAME', 'MOUNT_DELETE'],
  webdav: ['WEBDAV_READ', 'WEBDAV_MANAGE'],
} as const satisfies Record<string, readonly Permission[]>;

export type Group = keyof typeof groups;

/** pathBits are those for which a key's folder matters. */
export const pathBits = mountBits | WEBDAV_READ | WEBDAV_MANAGE;

/**
 * withBit sets or clears a permission and what hangs on it: changing mounts needs to see them, writing over WebDAV
 * needs to read. `added` names what came by itself.
 */
export function withBit(bits: number, name: Permission, on: boolean): { bits: number; added?: Permission } {
  const bit = permissions[name];
  if (on) {
    const base = (bit & mountBits) !== 0 ? MOUNT_VIEW : bit === WEBDAV_MANAGE ? WEBDAV_READ : 0;
    const next = bits | bit | base;
    if (base === 0 || base === bit || (bits & base) !== 0) return { bits: next };
    return { bits: next, added: base === MOUNT_VIEW ? 'MOUNT_VIEW' : 'WEBDAV_READ' };
  }
  const hanging = bit === MOUNT_VIEW ? mountBits : bit === WEBDAV_READ ? WEBDAV_READ | WEBDAV_MANAGE : bit;
  return { bits: bits & ~hanging };
}
