import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useTimer } from '../../hooks/useTimer';
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

  useTimer(
    () => (left !== undefined && left > 1 ? setLeft(left - 1) : navigate('/')),
    left === undefined ? undefined : 1000,
    left,
  );

  return (
    <section className={styles.deleted}>
      <Trash2 size={24} />
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
