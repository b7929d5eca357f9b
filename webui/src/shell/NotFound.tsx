import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useT } from '../i18n';
import { PageHeading, usePageTitle } from '../shared/page';
import { Button } from '../shared/ui';
import styles from './NotFound.module.css';

/** Seconds until an unknown page goes Home by itself, unless it is stopped. */
const returnAfter = 5;

/** NotFound is the screen of every unknown address. */
export default function NotFound() {
  const t = useT();
  const [, navigate] = useLocation();
  const [left, setLeft] = useState<number | undefined>(returnAfter);
  usePageTitle(t('app.titles.notFound'));

  useEffect(() => {
    if (left === undefined) return;
    if (left === 0) {
      navigate('/', { replace: true });
      return;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left, navigate]);

  return (
    <div className={styles.page}>
      <PageHeading>{t('notFound.title')}</PageHeading>
      <p className={styles.body}>{t('notFound.body')}</p>
      {left !== undefined && (
        <p className={styles.returning}>
          <span>{t('notFound.returning', left)}</span>
          <Button onClick={() => setLeft(undefined)}>{t('notFound.stay')}</Button>
        </p>
      )}
      <nav aria-label={t('notFound.links')}>
        <ul className={styles.links}>
          <li>
            <Link href="/">{t('app.nav.home')}</Link>
          </li>
          <li>
            <Link href="/upload">{t('app.nav.upload')}</Link>
          </li>
          <li>
            <Link href="/mount-explorer">{t('app.nav.explorer')}</Link>
          </li>
          <li>
            <Link href="/admin">{t('app.nav.admin')}</Link>
          </li>
        </ul>
      </nav>
    </div>
  );
}
