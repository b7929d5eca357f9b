import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { linksFor, useSession } from '../auth/session';
import { useT } from '../i18n';
import { addressOf, pages } from '../pages';
import { PageHeading, usePageTitle } from '../shared/page';
import { Button } from '../shared/ui';
import styles from './NotFound.module.css';

/** Seconds until an unknown page goes Home by itself, unless it is stopped. */
const returnAfter = 5;

/** NotFound is the screen of every unknown address. */
export default function NotFound() {
  const t = useT();
  const session = useSession();
  const [, navigate] = useLocation();
  const [left, setLeft] = useState<number | undefined>(returnAfter);
  usePageTitle(t(pages.missing.title));

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
          {linksFor(session).map((page) => (
            <li key={page.path}>
              <Link href={addressOf(page)}>{t(page.link)}</Link>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}
