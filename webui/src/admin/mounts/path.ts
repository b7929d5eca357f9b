import { within } from '../../auth/permissions';

// The server refuses the same ones.
const reserved = ['/bin', '/etc', '/lib', '/root', '/sys', '/proc', '/dev'];

/** pathProblem answers the message key of what is wrong with a mount path (§5); undefined when it may be sent. */
export function pathProblem(given: unknown): string | undefined {
  const path = String(given ?? '').trim();
  if (path === '') return undefined;
  if (!path.startsWith('/')) return 'admin.mounts.wrong.start';
  if (path === '/') return 'admin.mounts.wrong.root';
  if (path.includes('//') || path.endsWith('/')) return 'admin.mounts.wrong.slashes';
  // A dot is no letter, so segments of dots are refused here, too.
  if (!/^[A-Za-z0-9_\-/\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+$/.test(path))
    return 'admin.mounts.wrong.characters';
  return reserved.some((base) => within(base, path)) ? 'admin.mounts.wrong.reserved' : undefined;
}

/** overlapping finds mounts above or below a path, of which one covers a folder of the other. */
export const overlapping = <M extends { id: string; mount_path: string }>(
  path: string,
  mounts: readonly M[],
  own?: string,
): M[] =>
  mounts.filter(
    (mount) =>
      mount.id !== own &&
      mount.mount_path !== path &&
      path.startsWith('/') &&
      path !== '/' &&
      (within(mount.mount_path, path) || within(path, mount.mount_path)),
  );
