import { useEffect, type ReactNode } from 'react';
import { authEvents } from '../api/credentials';
import { ensureFresh } from '../auth/validity';
import { config } from '../config';
import { useT } from '../i18n';
import { pageAt, pages } from '../pages';
import { useDocked } from '../shared/dock';
import { announcerId, noteNavigation } from '../shared/page';
import { wasRestored } from '../shared/restored';
import { Questions, toast, Toasts } from '../shared/ui';
import { Header } from './Header';
import styles from './Layout.module.css';

/** Layout is the frame of every page: skip link, header, main, messages and dialogs. The footer comes later (pwa/Layer). */
export function Layout({ children }: { children: ReactNode }) {
  const t = useT();
  const docked = useDocked();
  useNavigationNotes();
  useSessionMessages();
  return (
    <>
      <a className="skip-link" href="#main">
        {t('app.skipToContent')}
      </a>
      <Header />
      <main id="main" tabIndex={-1} className={styles.main}>
        {children}
      </main>
      <div id={announcerId} className="visually-hidden" aria-live="polite" />
      {docked}
      <Toasts />
      <Questions />
    </>
  );
}

const isPanel = (path: string) => pageAt(path.slice(config.basePath.length)) === pages.admin;

/** The first page is announced by the browser itself; all later ones by us. Each may need a fresh session (§5). */
function useNavigationNotes(): void {
  useEffect(() => {
    let path = window.location.pathname;
    const note = () => {
      if (window.location.pathname === path) return;
      const crossed = isPanel(path) !== isPanel(window.location.pathname);
      path = window.location.pathname;
      // The site's own code must not follow into the panel, nor be missing on the way out.
      if (crossed && config.customCode) window.location.reload();
      noteNavigation();
      void ensureFresh();
    };
    // wouter announces its own navigations under the names of the history's methods.
    const events = ['pushState', 'replaceState', 'popstate'];
    for (const event of events) addEventListener(event, note);
    return () => {
      for (const event of events) removeEventListener(event, note);
    };
  }, []);
}

/** Says why someone was signed out without asking for it (§8). */
function useSessionMessages(): void {
  const t = useT();
  useEffect(() => {
    const admin = () => toast.error(t(wasRestored() ? 'errors.http.restored' : 'errors.http.adminExpired'));
    const key = () => toast.error(t('errors.http.keyInvalid'));
    addEventListener(authEvents.adminExpired, admin);
    addEventListener(authEvents.keyInvalid, key);
    return () => {
      removeEventListener(authEvents.adminExpired, admin);
      removeEventListener(authEvents.keyInvalid, key);
    };
  }, [t]);
}
