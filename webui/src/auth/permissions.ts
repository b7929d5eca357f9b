import type { PermissionFlags } from '../api/types';

/** The permission bits of API keys (§6). The server keeps the same table. */
export const permissions = {
  TEXT: 1,
  FILE_SHARE: 2,
  MOUNT_VIEW: 256,
  MOUNT_UPLOAD: 512,
  MOUNT_COPY: 1024,
  MOUNT_RENAME: 2048,
  MOUNT_DELETE: 4096,
  WEBDAV_READ: 65536,
  WEBDAV_MANAGE: 131072,
} as const;

export type Permission = keyof typeof permissions;

/** All bits together, which is what an administrator has. */
export const allBits = Object.values(permissions).reduce((sum, bit) => sum | bit, 0);

/** Any mount bit gives access to mounts (§6). */
export const mountBits =
  permissions.MOUNT_VIEW |
  permissions.MOUNT_UPLOAD |
  permissions.MOUNT_COPY |
  permissions.MOUNT_RENAME |
  permissions.MOUNT_DELETE;

const flagNames: Record<keyof PermissionFlags, Permission> = {
  text: 'TEXT',
  file: 'FILE_SHARE',
  mount_view: 'MOUNT_VIEW',
  mount_upload: 'MOUNT_UPLOAD',
  mount_copy: 'MOUNT_COPY',
  mount_rename: 'MOUNT_RENAME',
  mount_delete: 'MOUNT_DELETE',
  webdav_read: 'WEBDAV_READ',
  webdav_manage: 'WEBDAV_MANAGE',
};

/** bitsOf turns what the server answers, named flags or a number, into bits; undefined when it is neither. */
export function bitsOf(given: unknown): number | undefined {
  if (typeof given === 'number' && Number.isInteger(given) && given >= 0) return given;
  if (typeof given !== 'object' || given === null) return undefined;
  const flags = given as Record<string, unknown>;
  return Object.entries(flagNames).reduce(
    (bits, [flag, name]) => (flags[flag] === true ? bits | permissions[name] : bits),
    0,
  );
}

/** names lists the permissions that are set in bits. */
export function namesOf(bits: number): Permission[] {
  return (Object.keys(permissions) as Permission[]).filter((name) => (bits & permissions[name]) !== 0);
}

/** within says whether a path lies at or under a key's basic path; whole segments only (§5). */
export function within(basicPath: string, path: string): boolean {
  const base = basicPath.replace(/\/+$/, '');
  return base === '' || path === base || path.startsWith(`${base}/`);
}
