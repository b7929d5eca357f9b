import { config, readStored, writeStored } from '../config';
import { hasUnsaved } from '../shared/unsaved';
import { makeStore, patch } from '../store';
import type { Request } from './messages';

/** States of the service worker (§4). */
type WorkerState = 'unknown' | 'installing' | 'waiting' | 'active' | 'redundant';

/** The browser's offer to install the app. */
interface InstallPrompt extends Event {
  prompt: () => Promise<void>;
  userChoice: Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

interface AppState {
  online: boolean;
  worker: WorkerState;
  installed: boolean;
  /** card is the one that shows; an update goes before an installation. */
  card: 'none' | 'install' | 'installIos' | 'update';
  /** offered says that the browser can install the app now. */
  offered: boolean;
  busy: boolean;
  /** held says where a transfer or an unsaved text is that the update waits for; "" for none. */
  held: '' | 'here' | 'elsewhere';
}

const hour = 60 * 60_000;
const installLater = { key: 'pp.installLater', for: 7 * 24 * hour };
const updateLater = { key: 'pp.updateLater', for: 24 * hour };

/** The poll of §9: it only looks at what is in memory. */
export const pollEvery = 5000;

export const appState = makeStore<AppState>({
  online: navigator.onLine,
  worker: 'unknown',
  installed: isInstalled(),
  card: 'none',
  offered: false,
  busy: false,
  held: '',
});

let registration: ServiceWorkerRegistration | undefined;
let offer: InstallPrompt | undefined;
let checkedAt = 0;
// updating: the person has agreed; taken: a newer version controls this page, which still shows the older one.
let updating = false;
let taken = false;

/** startWorker registers the service worker and follows its life; it asks for nothing by itself. */
export async function startWorker(): Promise<void> {
  addEventListener('online', () => patch(appState, { online: true }));
  addEventListener('offline', () => patch(appState, { online: false }));
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    offer = event as InstallPrompt;
    look();
  });
  addEventListener('appinstalled', () => {
    offer = undefined;
    patch(appState, { installed: true, busy: false });
    look();
  });
  setInterval(look, pollEvery);
  look();
  // Only https and the machine itself have service workers.
  if (!('serviceWorker' in navigator)) return;
  let first = !navigator.serviceWorker.controller;
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (first) keepLoaded();
    else taken = true;
    first = false;
    look();
  });
  registration = await navigator.serviceWorker.register(`${config.basePath}/sw.js`, {
    scope: `${config.basePath}/`,
    updateViaCache: 'none',
  });
  checkedAt = Date.now();
  registration.addEventListener('updatefound', follow);
  follow();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void checkForUpdate(hour);
  });
}

function follow(): void {
  for (const worker of [registration?.installing, registration?.waiting])
    worker?.addEventListener('statechange', look);
  look();
}

/** look takes over what the browser knows now. */
function look(): void {
  const worker: WorkerState = registration?.installing
    ? 'installing'
    : registration?.waiting
      ? 'waiting'
      : registration?.active
        ? registration.active.state === 'redundant'
          ? 'redundant'
          : 'active'
        : 'unknown';
  if (taken || updating) goOn();
  const { installed } = appState.get();
  // The first version waits for a moment, too; it is no newer one.
  const newer = worker === 'waiting' && Boolean(registration?.active);
  const update = taken || updating || (newer && !remembered(updateLater));
  const install = !installed && !remembered(installLater);
  const card = update ? 'update' : install && offer ? 'install' : install && isIos() ? 'installIos' : 'none';
  patch(appState, { worker, card, offered: offer !== undefined });
  void checkForUpdate(hour);
}

/** canSyncInBackground says whether the browser can wake the worker, where there is one, when the network is back. */
export const canSyncInBackground = () =>
  Boolean(navigator.serviceWorker?.controller) && 'sync' in ServiceWorkerRegistration.prototype;

/** checkForUpdate asks the server for a newer version when the last time is longer ago than `age`. */
export async function checkForUpdate(age = 0): Promise<void> {
  if (!registration || Date.now() - checkedAt < age || !navigator.onLine) return;
  checkedAt = Date.now();
  await registration.update().catch(() => undefined);
}

export async function install(): Promise<void> {
  if (!offer) return;
  patch(appState, { busy: true });
  try {
    await offer.prompt();
    const { outcome } = await offer.userChoice;
    if (outcome === 'dismissed') later();
  } finally {
    // An offer is good for one question.
    offer = undefined;
    patch(appState, { busy: false });
    look();
  }
}

/** update lets the waiting version take over and loads the page again, as soon as nothing would be lost. */
export function update(): void {
  updating = Boolean(registration?.waiting);
  patch(appState, { busy: updating });
  look();
}

/** goOn takes the next step of an update, unless a transfer or an unsaved text would be lost. */
function goOn(): void {
  const held = hasUnsaved();
  patch(appState, { busy: true, ...(held ? { held: 'here' } : taken && { held: '' }) });
  if (held) lookSoon();
  else if (taken) location.reload();
  else void takeOver();
}

let soon: ReturnType<typeof setTimeout> | undefined;

/** lookSoon asks again what an update has to wait for, sooner than the poll would. */
function lookSoon(): void {
  clearTimeout(soon);
  soon = setTimeout(look, 1000);
}

let asking = false;

/** takeOver lets the waiting version begin, which all open tabs then show, unless one of them has to wait. */
async function takeOver(): Promise<void> {
  if (asking) return;
  asking = true;
  const held = await othersHold().finally(() => (asking = false));
  // Whoever has said "Later" or begun to write meanwhile is heard.
  if (!updating || hasUnsaved()) return lookSoon();
  patch(appState, { held: held ? 'elsewhere' : '' });
  if (held) lookSoon();
  else registration?.waiting?.postMessage({ type: 'SKIP_WAITING' } satisfies Request);
}

/** How long in milliseconds the other tabs may take to say that they hold an update. */
const heldWithin = 500;

const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('pp-update') : undefined;
let heard: (() => void) | undefined;
tabs?.addEventListener('message', ({ data }: MessageEvent<'asked' | 'held'>) => {
  if (data === 'held') heard?.();
  else if (hasUnsaved()) tabs.postMessage('held');
});

/** othersHold asks the other tabs whether an update would cost them a transfer or an unsaved text. */
function othersHold(): Promise<boolean> {
  return new Promise((resolve) => {
    heard = () => resolve(true);
    setTimeout(() => resolve(false), tabs ? heldWithin : 0);
    tabs?.postMessage('asked');
  });
}

/**
 * keepLoaded asks once more for what the first page has loaded before the worker was there, so that it is kept; the
 * browser has it at hand.
 */
function keepLoaded(): void {
  const assets = new URL(`${config.basePath}/assets/`, location.href).href;
  for (const { name } of performance.getEntriesByType('resource'))
    if (name.startsWith(assets)) fetch(name, { priority: 'low' }).catch(() => undefined);
}

/** later puts the card away for the time that its kind is remembered. */
export function later(): void {
  const { card } = appState.get();
  if (card === 'none') return;
  const { key } = card === 'update' ? updateLater : installLater;
  updating = false;
  patch(appState, { busy: false, held: '' });
  writeStored(key, String(Date.now()));
  look();
}

const remembered = (answer: { key: string; for: number }) => {
  const at = Number(readStored(answer.key));
  return at > 0 && at <= Date.now() && Date.now() - at < answer.for;
};

function isInstalled(): boolean {
  return (
    matchMedia('(display-mode: standalone)').matches ||
    ('standalone' in navigator && navigator.standalone === true)
  );
}

const isIos = () =>
  /iPad|iPhone|iPod/.test(navigator.userAgent) ||
  (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
