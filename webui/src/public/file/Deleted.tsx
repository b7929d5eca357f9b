import { Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useT } from '../../i18n';
import { PageHeading } from '../../shared/page';
import { Button, buttonClass } from '../../shared/ui';
import styles from './file.module.css';

/** Seconds until the page leaves by itself. */
const leaveAfter = 3;

/** Deleted says that the file is gone and goes home, unless it is told to stay. */
export function Deleted() {
  const t = useT();
  const [, navigate] = useLocation();
  const [left, setLeft] = useState<number | undefined>(leaveAfter);

  useEffect(() => {
    if (left === undefined) return;
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : navigate('/')), 1000);
    return () => clearTimeout(timer);
  }, [left, navigate]);

  return (
    <section className={styles.deleted}>
      <Trash2 size={24} aria-hidden="true" />
      <PageHeading>{t('fileView.deleted.title')}</PageHeading>
      <p>{t('fileView.deleted.body')}</p>
      {left !== undefined && <p>{t('fileView.deleted.returning', left)}</p>}
      <div className={styles.actions}>
        {left !== undefined && (
          <Button variant="primary" onClick={() => setLeft(undefined)}>
            {t('fileView.deleted.stay')}
          </Button>
        )}
        <Link href="/" className={buttonClass()}>
          {t('fileView.deleted.home')}
        </Link>
      </div>
    </section>
  );
}
