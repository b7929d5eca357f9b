import { LockKeyhole } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { authEvents } from '../api/credentials';
import { useT } from '../i18n';
import type { Guard, Page } from '../pages';
import { buttonClass } from '../shared/ui/Button';
import { Skeleton } from '../shared/ui/Skeleton';
import styles from './RequireAccess.module.css';
import { isOpen, session, useSession } from './session';
import { ensureFresh } from './validity';

interface RequireAccessProps {
  page: Page;
  children: ReactNode;
}

/** RequireAccess shows a page to those who may use it, and the sign-in card to others. */
export function RequireAccess({ page, children }: RequireAccessProps) {
  const now = useSession();

  useEffect(() => void ensureFresh(), []);

  if (isOpen(page, now)) return children;
  // The rights of a restored key may have grown since; nobody is turned away on old news.
  if (now.checking) return <Skeleton lines={4} />;
  return <Gate need={page.guard ?? 'text'} />;
}

// Whether the key in use was refused a moment ago, until somebody signs in.
let refused = false;
addEventListener(authEvents.keyInvalid, () => (refused = true));
addEventListener(authEvents.changed, () => (refused &&= session().kind === 'none'));

/** Gate says which right is missing and leads to sign-in and back. */
export function Gate({ need, compact = false }: { need: Guard | 'text' | 'share'; compact?: boolean }) {
  const t = useT();
  const [path] = useLocation();
  const signedIn = useSession().kind !== 'none';
  return (
    <section className={`${styles.card} ${compact ? styles.compact : ''}`}>
      {!compact && <LockKeyhole size={24} aria-hidden="true" />}
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

/** signInPath is the sign-in page with the way back. */
export function signInPath(returnTo: string): string {
  return returnTo === '/' ? '/admin?to=/' : `/admin?to=${encodeURIComponent(returnTo)}`;
}

/** returnPath reads the way back out of a sign-in address; only paths of this app count. */
export function returnPath(search: string): string | undefined {
  const to = new URLSearchParams(search).get('to') ?? '';
  return /^\/(?![/\\])/.test(to) && !/^\/admin(\/|$|\?)/.test(to) ? to : undefined;
}
