import { CloudOff, ListChecks, MonitorSmartphone, RefreshCw, Upload, X } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, type ReactNode } from 'react';
import { Link, Router, useLocation } from 'wouter';
import { useSession } from '../auth/session';
import { config } from '../config';
import { useT } from '../i18n';
import { pageAt, pages } from '../pages';
import { Button, IconButton } from '../shared/ui';
import { moving, movingAt } from '../shared/moving';
import { openPanel } from '../shared/offline/panels';
import { useSite } from '../shared/site';
import { useStore } from '../store';
import styles from './Layer.module.css';
import { queueState } from './queueState';
import { appState, install, later, update } from './worker';

const StatusDialog = lazy(() => import('./StatusDialog'));
const QueueDialog = lazy(() => import('./QueueDialog'));
const Markdown = lazy(() =>
  import('../shared/markdown/Markdown').then((module) => ({ default: module.Markdown })),
);

// Nothing in such a line means anything in Markdown.
const plainLine = /^[\p{L}\p{N}©® ,'’·–—]+$/u;

/**
 * Layer is part of every page: its footer, and a strip at the window's foot with the badge of a lost network, the
 * waiting writes, the uploads that go on from another page, and the two cards.
 */
export const Layer = () => (
  <Router base={config.basePath}>
    <Pieces />
  </Router>
);

function Pieces() {
  const t = useT();
  const { online, card } = useStore(appState);
  const { items } = useStore(queueState);
  const open = useStore(openPanel);
  const close = () => openPanel.set(undefined);
  const [path] = useLocation();
  const sent = useStore(moving);
  const listing = useStore(movingAt);
  // The page of a request lists its own; the upload page lists all, and so does the file browser.
  const isListed = [listing, '/upload'].includes(path) || path.startsWith('/mount-explorer');
  const percent = isListed ? null : sent;
  const hasPills = !online || items.length > 0 || percent !== null;
  return (
    <>
      {pageAt(path) !== pages.admin && <Footer onStatus={() => openPanel.set('status')} />}
      <aside aria-label={t('pwa.label')}>
        {(card !== 'none' || hasPills) && (
          <Strip>
            <Card />
            {hasPills && (
              <div className={styles.pills}>
                {!online && (
                  <button type="button" className={styles.pill} onClick={() => openPanel.set('status')}>
                    <CloudOff size={16} />
                    <span>{t('pwa.offline')}</span>
                  </button>
                )}
                {items.length > 0 && (
                  <button type="button" className={styles.pill} onClick={() => openPanel.set('queue')}>
                    <ListChecks size={16} />
                    <span>{t('pwa.waiting', items.length)}</span>
                  </button>
                )}
                {percent !== null && (
                  <Link className={styles.pill} href={listing}>
                    <Upload size={16} />
                    <span>{t('pwa.uploading', { percent })}</span>
                  </Link>
                )}
              </div>
            )}
          </Strip>
        )}
        <Suspense>
          {open === 'status' && <StatusDialog onClose={close} onQueue={() => openPanel.set('queue')} />}
          {open === 'queue' && <QueueDialog onClose={close} />}
        </Suspense>
      </aside>
    </>
  );
}

/** Footer is the administrator's Markdown, and for visitors the app's state, which others have in the menu. */
function Footer({ onStatus }: { onStatus: () => void }) {
  const t = useT();
  const text = useSite().footerMarkdown.trim();
  const isVisitor = useSession().kind === 'none';
  if (!text && !isVisitor) return null;
  return (
    <footer className={styles.footer}>
      {plainLine.test(text) ? (
        <p>{text}</p>
      ) : (
        <Suspense fallback={null}>{text && <Markdown text={text} ofSite />}</Suspense>
      )}
      {isVisitor && (
        <button type="button" onClick={onStatus}>
          <MonitorSmartphone size={16} />
          {t('pwa.status.title')}
        </button>
      )}
    </footer>
  );
}

/** Strip lies at the window's foot over nothing: pages end above it, and what else stands there stands on it. */
function Strip({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const strip = ref.current;
    if (!strip) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty('--foot', `${strip.offsetHeight}px`));
    observer.observe(strip);
    return () => {
      observer.disconnect();
      style.removeProperty('--foot');
    };
  }, []);
  return (
    <div ref={ref} className={styles.strip}>
      <div className={styles.inside}>{children}</div>
    </div>
  );
}

/** Card offers a new version or the installation; it is no dialog and takes no focus. */
function Card() {
  const t = useT();
  const { card, busy, held } = useStore(appState);
  if (card === 'none') return null;
  const kind = card === 'update' ? 'update' : 'install';
  const words = held
    ? { here: 'pwa.update.held', elsewhere: 'pwa.update.heldElsewhere' }[held]
    : card === 'installIos'
      ? 'pwa.install.ios'
      : `pwa.${kind}.body`;
  return (
    <section className={styles.card} aria-labelledby="pwa-card">
      <div className={styles.words}>
        <h2 id="pwa-card">{t(`pwa.${kind}.title`)}</h2>
        <p aria-live="polite" data-held={held || undefined}>
          {t(words)}
        </p>
      </div>
      <div className={styles.close}>
        <IconButton label={t('common.close')} onClick={later}>
          <X size={18} />
        </IconButton>
      </div>
      <div className={styles.actions}>
        {card !== 'installIos' && (
          <Button
            variant="primary"
            busy={busy}
            icon={card === 'update' ? <RefreshCw size={16} /> : undefined}
            onClick={() => (card === 'update' ? update() : void install())}
          >
            {t(`pwa.${kind}.${busy ? 'busy' : 'yes'}`)}
          </Button>
        )}
        <Button onClick={later}>{t('pwa.later')}</Button>
      </div>
    </section>
  );
}
