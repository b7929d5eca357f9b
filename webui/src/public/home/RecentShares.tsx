import { Link } from 'wouter';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { CopyButton } from '../../shared/ui';
import styles from './home.module.css';
import type { MadeShare } from './shares';

/** RecentShares lists the links made in this tab. */
export function RecentShares({ shares }: { shares: readonly MadeShare[] }) {
  const t = useT();
  if (shares.length === 0) return null;
  return (
    <details className={styles.recent}>
      <summary>{t('shareBox.recent')}</summary>
      <ul>
        {shares.map((share) => (
          <li key={share.slug}>
            <span className={styles.recentText}>
              <Link href={`/paste/${share.slug}`} dir="auto">
                {share.remark || share.slug}
              </Link>
            </span>
            <CopyButton iconOnly text={pageUrl(`/paste/${share.slug}`)} label={t('shareBox.copy')} />
          </li>
        ))}
      </ul>
    </details>
  );
}
