import { Link, useLocation, useSearch } from 'wouter';
import { LoginForm } from '../auth/LoginForm';
import { namesOf, permissions } from '../auth/permissions';
import { returnPath } from '../auth/RequireAccess';
import { session as currentSession, useSession, type Session } from '../auth/session';
import { signOut } from '../auth/signIn';
import { useT } from '../i18n';
import { PageHeading, usePageTitle } from '../shared/page';
import { Button, buttonClass } from '../shared/ui';
import styles from './SignInPage.module.css';

/** SignInPage signs in at /admin and shows, once signed in, who one is. */
export default function SignInPage() {
  const t = useT();
  const session = useSession();
  const [, navigate] = useLocation();
  const back = returnPath(useSearch());
  const title = session.kind === 'apikey' ? t('login.userTitle') : t('login.adminTitle');
  usePageTitle(title);

  function done() {
    // A key that may not use the page it came from stays here and reads what it may do.
    if (back) navigate(back, { replace: true });
    else if (currentSession().kind === 'apikey') navigate('/admin', { replace: true });
  }

  return (
    <div className={styles.page}>
      <PageHeading>{session.kind === 'none' ? t('login.title') : title}</PageHeading>
      {session.kind === 'none' ? <LoginForm onDone={done} /> : <SignedIn session={session} />}
    </div>
  );
}

function SignedIn({ session }: { session: Session }) {
  const t = useT();
  const rights =
    session.kind === 'admin'
      ? [t('login.permissions.all')]
      : namesOf(session.bits).map((name) => t(`login.permissions.${name}`));
  return (
    <>
      <p>
        {session.kind === 'admin'
          ? t('login.signedIn.admin')
          : t('login.signedIn.key', { name: session.name })}
      </p>
      <dl className={styles.facts}>
        <div>
          <dt>{t('login.signedIn.may')}</dt>
          <dd>{rights.join(', ')}</dd>
        </div>
        {session.kind === 'apikey' && (
          <div>
            <dt>{t('login.signedIn.path')}</dt>
            <dd>
              <code>{session.basicPath}</code>
            </dd>
          </div>
        )}
      </dl>
      <div className={styles.actions}>
        {session.can(permissions.TEXT) && (
          <Link href="/" className={buttonClass('primary')}>
            {t('login.signedIn.share')}
          </Link>
        )}
        {session.can(permissions.FILE_SHARE) && (
          <Link href="/upload" className={buttonClass()}>
            {t('login.signedIn.upload')}
          </Link>
        )}
        <Button variant="quiet" onClick={() => void signOut()}>
          {t('app.who.signOut')}
        </Button>
      </div>
    </>
  );
}
