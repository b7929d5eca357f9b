import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { onAnswer } from '../api/client';
import { authEvents } from '../api/credentials';
import { loadAreas, t } from '../i18n';
import type { Status } from '../shared/offline/db';
import { toast } from '../shared/ui';
import { patch } from '../store';
import { keep, sweep, wipe } from './copies';
import { Layer } from './Layer';
import { catchUp, queueVersion, takeChecks } from './queue';
import { queueState } from './queueState';
import { refresh, sync } from './sync';
import { appState, startWorker } from './worker';

/** How long in milliseconds the words about a lost network stay (§9). */
const offlineToast = 3000;

/** How often in milliseconds what waits is sent again while the browser believes to be online. */
const sendAgain = 20_000;

/** startPwa begins everything that works without a network. It is called once, after the page is usable. */
export async function startPwa(): Promise<void> {
  await loadAreas('pwa');
  onAnswer((path, { body, etag }) => void keep(path, body, etag));
  for (const event of [authEvents.signedOut, authEvents.adminExpired, authEvents.keyInvalid])
    addEventListener(event, () => void wipe().catch(() => undefined));
  followSignOut();
  addEventListener(authEvents.changed, () => void signedIn());
  queueVersion.subscribe(() => void refresh());
  catchUp();
  addEventListener('offline', () => toast.info(t('pwa.offlineToast'), { lasts: offlineToast }));
  addEventListener('online', () => void returned());
  navigator.serviceWorker?.addEventListener('message', (event: MessageEvent<{ type?: string }>) => {
    if (event.data.type === 'DRAIN_QUEUE') void sync();
  });

  const place = document.createElement('div');
  document.body.append(place);
  createRoot(place).render(createElement(Layer));

  // What is needed when the network is gone, where no worker keeps it.
  const needed = [
    import('../shared/ui/ToastMessage'),
    import('./QueueDialog'),
    import('./StatusDialog'),
    import('./standIn'),
  ];
  void Promise.allSettled(needed);
  await startWorker().catch(() => patch(appState, { worker: 'unknown' }));
  await sweep().catch(() => undefined);
  setInterval(() => void sweep().catch(() => undefined), 24 * 60 * 60_000);
  setInterval(() => void sendLeft(['pending', 'syncing', 'retry']), sendAgain);
  await refresh();
  if (navigator.onLine) await sync();
}

/** followSignOut makes signing out in one tab count in all of them: each forgets what it alone remembers. */
function followSignOut(): void {
  if (!('BroadcastChannel' in globalThis)) return;
  const tabs = new BroadcastChannel('pp-signed-out');
  let heard = false;
  addEventListener(authEvents.signedOut, () => {
    if (!heard) tabs.postMessage('signedOut');
  });
  tabs.addEventListener('message', () => {
    heard = true;
    try {
      sessionStorage.clear();
    } catch {
      // A blocked store holds nothing to forget.
    }
    dispatchEvent(new CustomEvent(authEvents.signedOut));
    heard = false;
  });
}

/** signedIn sends what the account has left here when it was last signed in. */
async function signedIn(): Promise<void> {
  await refresh();
  await sendLeft(['pending', 'syncing', 'retry', 'needs_sign_in']);
}

/** sendLeft sends what waits when something of it is in one of these states. */
async function sendLeft(states: readonly Status[]): Promise<void> {
  const { items, syncing } = queueState.get();
  if (navigator.onLine && !syncing && items.some(({ status }) => states.includes(status))) await sync();
}

async function returned(): Promise<void> {
  if (takeChecks() > 0) toast.info(t('pwa.checkAgain'), { lasts: 15_000 });
  const some = queueState.get().items.length > 0;
  toast.info(t(some ? 'pwa.backSyncing' : 'pwa.back'), { lasts: offlineToast });
  await sync();
}
