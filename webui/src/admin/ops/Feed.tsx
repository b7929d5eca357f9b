import type { ReactNode } from 'react';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { Button, EmptyState, Skeleton } from '../../shared/ui';
import styles from './ops.module.css';
import type { useFeed } from './useFeed';

interface FeedProps<R> {
  feed: ReturnType<typeof useFeed<R>>;
  /** empty is what is said where there is nothing. */
  empty: { title: string; body: string };
  children: (rows: readonly R[]) => ReactNode;
}

/** Feed shows a list that goes on when asked, and its other states. */
export function Feed<R>({ feed, empty, children }: FeedProps<R>) {
  const t = useT();
  if (feed.error) return <ErrorPanel error={feed.error} onRetry={feed.refresh} />;
  if (!feed.rows) return <Skeleton lines={8} />;
  if (feed.rows.length === 0) return <EmptyState {...empty} />;
  return (
    <div className={styles.part}>
      {children(feed.rows)}
      {feed.hasMore && (
        <div>
          <Button busy={feed.busy} onClick={feed.more}>
            {t('ops.more')}
          </Button>
        </div>
      )}
    </div>
  );
}
