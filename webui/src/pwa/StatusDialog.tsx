import { useState } from 'react';
import { config } from '../config';
import { useT } from '../i18n';
import { notices } from '../shared/offline/notices';
import { Button, Dialog, toast } from '../shared/ui';
import { useStore } from '../store';
import { wipe } from './copies';
import { sync } from './sync';
import { queueState } from './queueState';
import styles from './StatusDialog.module.css';
import { appState, canSyncInBackground, checkForUpdate, install, update } from './worker';

/** StatusDialog tells how the app stands on this device (PWA-STATUS). */
export default function StatusDialog({ onClose, onQueue }: { onClose: () => void; onQueue: () => void }) {
  const t = useT();
  const { online, worker, installed, offered, busy } = useStore(appState);
  const { items, syncing } = useStore(queueState);
  const [allowed, setAllowed] = useState(notices.state());
  const [checking, setChecking] = useState(false);

  async function check() {
    setChecking(true);
    await checkForUpdate();
    setChecking(false);
    if (!['installing', 'waiting'].includes(appState.get().worker)) toast.info(t('pwa.status.newest'));
  }

  const facts: [string, string][] = [
    ['network', t(online ? 'pwa.status.online' : 'pwa.offline')],
    ['installed', t(installed ? 'pwa.yes' : 'pwa.no')],
    ['worker', t(`pwa.worker.${worker}`)],
    ['update', t(worker === 'waiting' ? 'pwa.update.title' : 'pwa.status.upToDate')],
    ['notices', t(`pwa.notices.${allowed}`)],
    ['backgroundSync', t(canSyncInBackground() ? 'pwa.yes' : 'pwa.no')],
    ['version', config.version],
    ['queue', String(items.length)],
  ];
  return (
    <Dialog title={t('pwa.status.title')} onClose={onClose}>
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{t(`pwa.status.${name}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {allowed === 'denied' && <p>{t('pwa.notices.change')}</p>}
      <div className={styles.actions}>
        {offered && (
          <Button busy={busy} onClick={() => void install()}>
            {t('pwa.install.yes')}
          </Button>
        )}
        {worker === 'waiting' ? (
          <Button variant="primary" busy={busy} onClick={update}>
            {t('pwa.update.yes')}
          </Button>
        ) : (
          <Button busy={checking} disabled={!online} onClick={() => void check()}>
            {t('pwa.status.check')}
          </Button>
        )}
        {allowed === 'default' && (
          <Button onClick={() => void notices.ask().then(setAllowed)}>{t('pwa.notices.enable')}</Button>
        )}
        <Button disabled={!online} busy={syncing} onClick={() => void sync()}>
          {t('pwa.queue.sync')}
        </Button>
        {items.length > 0 && <Button onClick={onQueue}>{t('pwa.queue.title')}</Button>}
        <Button
          variant="danger"
          onClick={() => void wipe().then(() => toast.success(t('pwa.status.cleared')))}
        >
          {t('pwa.status.clear')}
        </Button>
      </div>
    </Dialog>
  );
}
