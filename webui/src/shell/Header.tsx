import { CodeXml, Keyboard, Menu as MenuIcon, X } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { config } from '../config';
import { linksFor, useSession } from '../auth/session';
import { useT } from '../i18n';
import { addressOf, pageAt } from '../pages';
import { IconButton, iconLinkClass } from '../shared/ui';
import styles from './Header.module.css';
import { LanguageMenu } from './LanguageMenu';
import { ThemeButton } from './ThemeButton';
import { Wordmark } from '../shared/Wordmark';

const WhoChip = lazy(() => import('./WhoChip'));

/** Header is the bar on top: title, main links, who is signed in, language, theme. */
export function Header() {
  const t = useT();
  const session = useSession();
  const signedIn = session.kind !== 'none';
  const [location] = useLocation();
  const [openAt, setOpenAt] = useState<string>();
  // The panel belongs to the page it was opened on, so a navigation closes it.
  const open = openAt === location;
  const bar = useRef<HTMLElement>(null);
  const menuButton = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !bar.current?.contains(event.target)) setOpenAt(undefined);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      setOpenAt(undefined);
      menuButton.current?.querySelector('button')?.focus();
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('keydown', escape);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('keydown', escape);
    };
  }, [open]);

  return (
    <header className={styles.header} ref={bar}>
      <div className={styles.bar}>
        <div className={styles.menuButton} ref={menuButton}>
          <IconButton
            label={open ? t('app.nav.closeMenu') : t('app.nav.menu')}
            aria-expanded={open}
            aria-controls="pp-nav"
            onClick={() => setOpenAt(open ? undefined : location)}
          >
            {open ? <X size={20} /> : <MenuIcon size={20} />}
          </IconButton>
        </div>
        <Link href="/" className={styles.title}>
          <Wordmark />
        </Link>
        <nav
          id="pp-nav"
          aria-label={t('app.nav.label')}
          className={`${styles.nav} ${open ? styles.open : ''}`}
        >
          {linksFor(session).map((page) => (
            <Link
              key={page.path}
              href={addressOf(page)}
              className={styles.link}
              aria-current={page === pageAt(location) ? 'page' : undefined}
              onClick={() => setOpenAt(undefined)}
            >
              {t(page.link)}
            </Link>
          ))}
        </nav>
        <div className={styles.tools}>
          <Suspense fallback={null}>{signedIn && <WhoChip />}</Suspense>
          {config.sourceUrl && (
            <a
              className={iconLinkClass}
              href={config.sourceUrl}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={t('app.repository')}
              title={t('app.repository')}
            >
              <CodeXml size={20} />
            </a>
          )}
          <div className={styles.keys}>
            <IconButton
              label={t('app.keys')}
              onClick={() => void import('./extras').then(({ openKeys }) => openKeys())}
            >
              <Keyboard size={20} />
            </IconButton>
          </div>
          <LanguageMenu />
          <ThemeButton />
        </div>
      </div>
    </header>
  );
}
