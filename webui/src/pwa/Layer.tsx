import { CloudOff, ListChecks, RefreshCw, X } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useT } from '../i18n';
import { Button, IconButton } from '../shared/ui';
import { onPanel, type OfflinePanel } from '../shared/offline/panels';
import styles from './Layer.module.css';
import { queueState } from './queueState';
import { appState, install, later, update } from './worker';

const StatusDialog = lazy(() => import('./StatusDialog'));
const QueueDialog = lazy(() => import('./QueueDialog'));

/** Layer stands above every page: the badge of a lost network, the waiting writes, and the two cards. */
export function Layer() {
  const t = useT();
  const { online } = appState.use();
  const { items } = queueState.use();
  const [open, setOpen] = useState<OfflinePanel | 'none'>('none');
  useEffect(() => onPanel(setOpen), []);
  const close = () => setOpen('none');
  return (
    <aside className={styles.layer} aria-label={t('pwa.label')}>
      <Card />
      {(!online || items.length > 0) && (
        <div className={styles.pills}>
          {!online && (
            <button type="button" className={styles.pill} onClick={() => setOpen('status')}>
              <CloudOff size={16} aria-hidden="true" />
              <span>{t('pwa.offline')}</span>
            </button>
          )}
          {items.length > 0 && (
            <button type="button" className={styles.pill} onClick={() => setOpen('queue')}>
              <ListChecks size={16} aria-hidden="true" />
              <span>{t('pwa.waiting', items.length)}</span>
            </button>
          )}
        </div>
      )}
      <Suspense>
        {open === 'status' && <StatusDialog onClose={close} onQueue={() => setOpen('queue')} />}
        {open === 'queue' && <QueueDialog onClose={close} />}
      </Suspense>
    </aside>
  );
}

/** Card offers a new version or the installation; it is no dialog and takes no focus. */
function Card() {
  const t = useT();
  const { card, busy, held } = appState.use();
  if (card === 'none') return null;
  const kind = card === 'update' ? 'update' : 'install';
  return (
    <section className={styles.card} aria-labelledby="pwa-card">
      <div className={styles.words}>
        <h2 id="pwa-card">{t(`pwa.${kind}.title`)}</h2>
        <p aria-live="polite">
          {t(held ? 'pwa.update.held' : card === 'installIos' ? 'pwa.install.ios' : `pwa.${kind}.body`)}
        </p>
      </div>
      <IconButton label={t('common.close')} onClick={later}>
        <X size={18} aria-hidden="true" />
      </IconButton>
      <div className={styles.actions}>
        {card !== 'installIos' && (
          <Button
            variant="primary"
            busy={busy}
            icon={card === 'update' ? <RefreshCw size={16} aria-hidden="true" /> : undefined}
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
