import { LockKeyhole } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useT } from '../i18n';
import type { Guard } from '../pages';
import { buttonClass } from '../shared/ui/Button';
import styles from './Gate.module.css';
import { signInPath } from './returnPath';
import { useSession } from './session';

interface GateProps {
  need: Guard | 'text' | 'share';
  compact?: boolean;
}

/** Gate says which right is missing and leads to sign-in and back. */
export function Gate({ need, compact = false }: GateProps) {
  const t = useT();
  const [path] = useLocation();
  const { kind, refused } = useSession();
  const signedIn = kind !== 'none';
  return (
    <section className={`${styles.card} ${compact ? styles.compact : ''}`}>
      {!compact && <LockKeyhole size={24} />}
      <div className={styles.text}>
        {!signedIn && !compact && <h2>{t('common.gate.title')}</h2>}
        {refused && <p className={styles.refused}>{t('errors.http.keyInvalid')}</p>}
        <p>{signedIn ? t('common.gate.noPermission') : t(`common.gate.signedOut.${need}`)}</p>
      </div>
      {!signedIn && (
        <Link href={signInPath(path + location.search + location.hash)} className={buttonClass('primary')}>
          {t('common.gate.action')}
        </Link>
      )}
    </section>
  );
}
