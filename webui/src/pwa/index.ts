import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { onAnswer } from '../api/client';
import { authEvents } from '../auth/credentials';
import { loadAreas, t } from '../i18n';
import { pageUrl } from '../config';
import { copyText } from '../shared/clipboard';
import { showPanel } from '../shared/offline/panels';
import { notices } from '../shared/offline/notices';
import { toast } from '../shared/ui';
import { closeToast } from '../shared/ui/toasts';
import { keep, sweep, wipe } from './copies';
import { Layer } from './Layer';
import { catchUp, drain, subscribeQueue, takeChecks, waiting, type Drained } from './queue';
import { queueState } from './queueState';
import { appState, startWorker } from './worker';

/** How long in milliseconds the words about a lost network stay (§9). */
const offlineToast = 3000;

/** startPwa begins everything that works without a network. It is called once, after the page is usable. */
export async function startPwa(): Promise<void> {
  await loadAreas('pwa');
  onAnswer((path, { body, etag }) => void keep(path, body, etag));
  for (const event of [authEvents.signedOut, authEvents.adminExpired, authEvents.keyInvalid])
    addEventListener(event, () => void wipe().catch(() => undefined));
  followSignOut();
  addEventListener(authEvents.changed, () => void signedIn());
  subscribeQueue(() => void refresh());
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
  await startWorker().catch(() => appState.set({ worker: 'unknown' }));
  await sweep().catch(() => undefined);
  setInterval(() => void sweep().catch(() => undefined), 24 * 60 * 60_000);
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

async function refresh(): Promise<void> {
  queueState.set({ items: await waiting().catch(() => []) });
}

/** signedIn sends what the account has left here when it was last signed in. */
async function signedIn(): Promise<void> {
  await refresh();
  const left = ['pending', 'syncing', 'retry', 'needs_sign_in'];
  if (navigator.onLine && queueState.get().items.some(({ status }) => left.includes(status))) await sync();
}

async function returned(): Promise<void> {
  if (takeChecks() > 0) toast.info(t('pwa.checkAgain'), { lasts: 15_000 });
  const some = queueState.get().items.length > 0;
  toast.info(t(some ? 'pwa.backSyncing' : 'pwa.back'), { lasts: offlineToast });
  await sync();
}

/** sync sends what waits and says what came of it; the pages that show it read it again. */
export async function sync(passwords?: Record<string, string>): Promise<void> {
  queueState.set({ syncing: true });
  try {
    tell(await drain(passwords));
  } catch {
    failed();
  } finally {
    queueState.set({ syncing: false });
    await refresh();
  }
}

function tell({ sent, refused }: Drained): void {
  if (sent.length > 0) {
    const made = sent.flatMap(({ item, answer }) => (item.type === 'createPaste' ? [slugOf(answer)] : []));
    const last = made.at(-1);
    void notices.tell(t('pwa.sent', sent.length), 'sync');
    toast.success(t('pwa.sent', sent.length), {
      ...(last && {
        lasts: 15_000,
        action: { label: t('pwa.copyLink'), run: () => void copyText(pageUrl(`/paste/${last}`)) },
      }),
    });
  }
  if (refused > 0) failed();
}

let refusal = 0;

/** settleRefusal closes the message about refused writes: whoever sees the queue needs it no more. */
export const settleRefusal = () => closeToast(refusal);

function failed(): void {
  refusal = toast.error(t('pwa.syncFailed'), {
    action: { label: t('errors.http.showQueue'), run: () => showPanel('queue') },
  });
  void notices.tell(t('pwa.syncFailed'), 'sync');
}

const slugOf = (answer: unknown): string => {
  const { slug } = (answer ?? {}) as { slug?: unknown };
  return typeof slug === 'string' ? slug : '';
};
