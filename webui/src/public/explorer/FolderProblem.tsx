import { Link } from 'wouter';
import { ApiError } from '../../api/client';
import { useT } from '../../i18n';
import { buttonClass, EmptyState, ErrorPanel } from '../../shared/ui';
import { FolderX, LockKeyhole } from 'lucide-react';
import { hrefOf } from './place';

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
export function FolderProblem({ error, path, base, parent, compact, onRetry }: FolderProblemProps) {
  const t = useT();
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 404) {
    return (
      <EmptyState
        icon={<FolderX size={28} />}
        title={t('explorer.problem.missing', { path })}
        action={
          parent && (
            <Link href={hrefOf(parent)} className={buttonClass('primary')}>
              {t('explorer.problem.parent')}
            </Link>
          )
        }
      />
    );
  }
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
  return (
    <ErrorPanel
      error={error}
      title={t(compact ? 'explorer.problem.stale' : 'explorer.problem.title', { path })}
      onRetry={onRetry}
    />
  );
}
