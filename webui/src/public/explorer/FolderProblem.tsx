import { useQuery } from '@tanstack/react-query';
import { FolderX, LockKeyhole } from 'lucide-react';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError } from '../../api/client';
import { getEntry } from '../../api/fs';
import { within } from '../../auth/permissions';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { mountsQuery } from '../../shared/query/folders';
import { buttonClass, EmptyState, Skeleton } from '../../shared/ui';
import { hrefOf, nameOf, parentOf } from './place';

interface FolderProblemProps {
  error: unknown;
  path: string;
  base: string;
  /** parent is the folder above; "" at the top. */
  parent: string;
  /** compact stands above a listing that is still shown. */
  compact: boolean;
  onRetry: () => void;
}

/** FolderProblem says why a folder is not shown, and where one can go from here. */
export function FolderProblem(props: FolderProblemProps) {
  const { error, path, base, compact, onRetry } = props;
  const t = useT();
  const { status, code } = error instanceof ApiError ? error : { status: 0, code: '' };
  if (status === 404) return <Missing {...props} />;
  if (status === 403 && path !== base) {
    return (
      <EmptyState
        icon={<LockKeyhole size={28} />}
        title={t('explorer.problem.forbidden', { path })}
        body={t('explorer.problem.allowed', { base })}
        action={
          <Link href={hrefOf(base)} className={buttonClass('primary')}>
            {t('explorer.problem.toBase')}
          </Link>
        }
      />
    );
  }
  if (code === 'storage_unavailable' && !compact) return <Unreachable {...props} />;
  return (
    <ErrorPanel
      error={error}
      title={t(compact ? 'explorer.problem.stale' : 'explorer.problem.title')}
      onRetry={onRetry}
    />
  );
}

function Missing({ path, base, parent }: FolderProblemProps) {
  const t = useT();
  const [, navigate] = useLocation();
  const isFile = useIsFile(path);
  const nearest = useNearest(isFile === false ? parent : '', base);
  // What an address names may be a file, which is shown in its folder.
  useEffect(() => {
    if (isFile) navigate(hrefOf(parentOf(path), nameOf(path)), { replace: true });
  }, [isFile, navigate, path]);
  if (isFile !== false) return <Skeleton lines={4} />;
  return (
    <EmptyState
      icon={<FolderX size={28} />}
      title={t('explorer.problem.missing', { path })}
      action={
        nearest && (
          <Link href={hrefOf(nearest)} className={buttonClass('primary')}>
            {t('explorer.problem.nearest', { path: nearest === '/' ? t('explorer.root') : nearest })}
          </Link>
        )
      }
    />
  );
}

/** useIsFile says whether there is a file at a path; undefined until that is known. */
function useIsFile(path: string): boolean | undefined {
  const { data } = useQuery({
    queryKey: ['isFile', path],
    queryFn: ({ signal }) =>
      getEntry(path, signal).then(
        (entry) => !entry.isDirectory,
        () => false,
      ),
  });
  return data;
}

/** useNearest is the nearest folder that exists, from `folder` upwards; "" until that is known. */
function useNearest(folder: string, base: string): string {
  const { data = '' } = useQuery({
    queryKey: ['nearest', folder, base],
    queryFn: async ({ signal }) => {
      const exists = (path: string) =>
        getEntry(path, signal).then(
          () => true,
          // What cannot be asked about may well be there.
          (error: unknown) => !(error instanceof ApiError && error.status === 404),
        );
      let at = folder;
      while (at !== '' && at !== base && at !== '/' && !(await exists(at))) at = parentOf(at);
      return at;
    },
  });
  return data;
}

/** Unreachable names the mount whose storage does not answer. */
function Unreachable({ error, path, onRetry }: FolderProblemProps) {
  const t = useT();
  // Without an answer the path on the screen says it as well.
  const { data: mounts = [] } = useQuery(mountsQuery);
  const [mount] = mounts
    .filter(({ mount_path }) => within(mount_path, path))
    .sort((one, other) => other.mount_path.length - one.mount_path.length);
  return (
    <ErrorPanel
      error={error}
      title={mount ? t('explorer.problem.mount', { mount: mount.name }) : t('explorer.problem.title')}
      onRetry={onRetry}
    />
  );
}
