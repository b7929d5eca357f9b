import { useLocation, useSearch } from 'wouter';
import { LoginForm } from '../auth/LoginForm';
import { mountBits } from '../auth/permissions';
import { returnPath } from '../auth/returnPath';
import { mayEnter, session } from '../auth/session';
import { useT } from '../i18n';
import { pages } from '../pages';
import { noteNavigation, PageHeading, usePageTitle } from '../shared/page';
import { Harbour } from './Harbour';
import styles from './SignIn.module.css';

/** SignIn stands in place of the page that was asked for, which appears once somebody is signed in. */
export function SignIn() {
  const t = useT();
  const [, navigate] = useLocation();
  const back = returnPath(useSearch());
  usePageTitle(t(pages.admin.title));

  function done() {
    noteNavigation(); // the address stays, the page is another one
    const now = session();
    if (back) navigate(back, { replace: true });
    else if (!mayEnter(now)) navigate(now.can(mountBits) ? '/mount-explorer' : '/', { replace: true });
  }

  return (
    <div className={styles.page}>
      <div className={styles.form}>
        <PageHeading>{t('login.title')}</PageHeading>
        <LoginForm onDone={done} />
      </div>
      <div className={styles.picture}>
        <Harbour className={styles.harbour} />
        <p>{t('login.about')}</p>
      </div>
    </div>
  );
}
