import { useT } from '../../i18n';
import styles from './Skeleton.module.css';

interface SkeletonProps {
  /** lines is how many lines of text the content will roughly have. */
  lines?: number;
  /** height in px of one block instead of lines. */
  height?: number;
}

/** Skeleton keeps the place of content that is on its way; it appears after 200 ms. */
export function Skeleton({ lines = 3, height }: SkeletonProps) {
  const t = useT();
  return (
    <div className={styles.skeleton} role="status" data-loading="">
      <span className="visually-hidden">{t('common.loading')}</span>
      {height === undefined ? (
        Array.from({ length: lines }, (_, line) => <span key={line} className={styles.line} />)
      ) : (
        <span className={styles.block} style={{ height }} />
      )}
    </div>
  );
}
