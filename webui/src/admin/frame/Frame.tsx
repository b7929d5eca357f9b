import { Menu as MenuIcon } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { useRefresh } from 'react-admin';
import { useSession } from '../../auth/session';
import { useT } from '../../i18n';
import { useSynced } from '../../shared/offline/synced';
import { IconButton } from '../../shared/ui';
import { pageAt } from '../pages';
import { useLocation } from '../router';
import { Opener, PaletteHost, SmallOpener } from '../palette/Opener';
import styles from './Frame.module.css';
import { PanelMenu } from './PanelMenu';

/** Frame is the layout of the panel: its menu beside the page, or in a drawer on narrow screens (§7.1). */
export function Frame({ children }: { children: ReactNode }) {
  const t = useT();
  const session = useSession();
  const { pathname } = useLocation();
  const refresh = useRefresh();
  useSynced(() => refresh());
  const drawer = useRef<HTMLDialogElement>(null);
  const [palette, setPalette] = useState(false);
  const openPalette = () => setPalette(true);
  const title = session.kind === 'admin' ? t('admin.adminTitle') : t('admin.userTitle');
  const page = pageAt(pathname);

  return (
    <div className={styles.frame}>
      <a className="skip-link" href="#panel-content">
        {t('admin.skipMenu')}
      </a>
      <div className={styles.bar}>
        <IconButton
          label={t('admin.openMenu')}
          aria-haspopup="dialog"
          onClick={() => drawer.current?.showModal()}
        >
          <MenuIcon size={20} />
        </IconButton>
        <span className={styles.where}>
          {title}
          {page && ` · ${t(page.title)}`}
        </span>
        <SmallOpener onOpen={openPalette} />
      </div>
      <aside className={styles.side}>
        <p className={styles.title}>{title}</p>
        <Opener onOpen={openPalette} />
        <PanelMenu />
      </aside>
      <dialog
        // It is closed on another page.
        key={pathname}
        ref={drawer}
        className={styles.drawer}
        aria-label={t('admin.menu')}
        onPointerDown={(event) => {
          if (event.target === drawer.current) drawer.current.close();
        }}
      >
        <div className={styles.drawerInside}>
          <p className={styles.title}>{title}</p>
          <PanelMenu siteLinks onChoose={() => drawer.current?.close()} />
        </div>
      </dialog>
      <div id="panel-content" tabIndex={-1} className={styles.content}>
        {children}
      </div>
      <PaletteHost shown={palette} onShow={setPalette} />
    </div>
  );
}
