import type { Permission } from '../../auth/permissions';

/** What of a key in the form the rules look at. */
export interface Draft {
  /** id of a stored key, by which rules may name it. */
  id: string | undefined;
  permissions: number;
  basicPath: string;
  guest: boolean;
}

/** typical is the action that stands for each permission in the list of what a key can do. */
export const typical: Record<Permission, string> = {
  TEXT: 'paste.create',
  FILE_SHARE: 'file.upload',
  MOUNT_VIEW: 'mount.list',
  MOUNT_UPLOAD: 'mount.upload',
  MOUNT_COPY: 'mount.copy',
  MOUNT_RENAME: 'mount.rename',
  MOUNT_DELETE: 'mount.delete',
  WEBDAV_READ: 'webdav.read',
  WEBDAV_MANAGE: 'webdav.write',
};

/** questionFor asks whether a key may do something at a path, or with a share of its own. */
export function questionFor(draft: Draft, action: string, path: string): Record<string, unknown> {
  const [kind = ''] = action.split('.');
  const inMount = kind === 'mount' || kind === 'webdav';
  const caller = draft.id ?? 'new-key';
  return {
    type: 'apikey',
    caller_id: caller,
    permissions: draft.permissions,
    basic_path: draft.basicPath,
    guest: draft.guest,
    action,
    kind: inMount ? 'mount' : kind,
    ...(inMount ? { paths: [path], name: path.split('/').pop() ?? '' } : { owner: `apikey:${caller}` }),
    tls: true,
  };
}
