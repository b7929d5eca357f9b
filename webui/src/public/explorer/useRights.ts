import { permissions } from '../../auth/permissions';
import { useSession } from '../../auth/session';

/** Rights are what this visitor may do here; what they may not do is not offered. */
export interface Rights {
  upload: boolean;
  copy: boolean;
  rename: boolean;
  move: boolean;
  remove: boolean;
  share: boolean;
}

export function useRights(): Rights {
  const { can } = useSession();
  return {
    upload: can(permissions.MOUNT_UPLOAD),
    copy: can(permissions.MOUNT_COPY),
    rename: can(permissions.MOUNT_RENAME),
    move: can(permissions.MOUNT_RENAME),
    remove: can(permissions.MOUNT_DELETE),
    share: can(permissions.FILE_SHARE),
  };
}
