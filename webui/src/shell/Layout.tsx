import { useEffect, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { authEvents } from '../auth/credentials';
import { useT } from '../i18n';
import { announcerId, noteNavigation } from '../shared/page';
import { Questions, toast, Toasts } from '../shared/ui';
import { Footer } from './Footer';
import { Header } from './Header';
import styles from './Layout.module.css';

/** Layout is the frame of every page: skip link, header, main, footer, messages and dialogs. */
export function Layout({ children }: { children: ReactNode }) {
  const t = useT();
  const [location] = useLocation();
  useNavigationNotes(location);
  useSessionMessages();
  return (
    <>
      <a className={styles.skip} href="#main">
        {t('app.skipToContent')}
      </a>
      <Header />
      <main id="main" tabIndex={-1} className={styles.main}>
        {children}
      </main>
      {!/^\/admin(\/|$)/.test(location) && <Footer />}
      <div id={announcerId} className="visually-hidden" aria-live="polite" />
      <Toasts />
      <Questions />
    </>
  );
}

let lastLocation: string | undefined;

/** The first page is announced by the browser itself; all later ones by us. */
function useNavigationNotes(location: string): void {
  if (lastLocation !== undefined && lastLocation !== location) noteNavigation();
  lastLocation = location;
}

/** Says why someone was signed out without asking for it (§8). */
function useSessionMessages(): void {
  const t = useT();
  useEffect(() => {
    const admin = () => toast.error(t('errors.http.adminExpired'));
    const key = () => toast.error(t('errors.http.keyInvalid'));
    addEventListener(authEvents.adminExpired, admin);
    addEventListener(authEvents.keyInvalid, key);
    return () => {
      removeEventListener(authEvents.adminExpired, admin);
      removeEventListener(authEvents.keyInvalid, key);
    };
  }, [t]);
}
