import 'virtual:tokens.css';
import './theme/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, prepareView } from './App';
import { fillOffline } from './api/offline';
import { startSession } from './auth/validity';
import { config, readStored } from './config';
import { startLanguage } from './i18n';
import { whenIdle } from './shared/idle';
import { contentShown } from './shared/page';
import { startSite } from './shared/site';
import { startScroll } from './shell/scroll';
import { startTheme } from './theme/mode';

async function start(root: HTMLElement): Promise<void> {
  if (isInherited())
    await import('./shared/inherited').then(
      ({ inherit }) => inherit(),
      () => undefined,
    );
  startTheme();
  startScroll();
  await startLanguage();
  fillOffline({
    standIn: () => import('./pwa/standIn').then(({ standIn }) => standIn),
    standBy: () => import('./pwa/copies').then(({ standBy }) => standBy),
    settleQueue: () => import('./pwa/leaving').then(({ settleQueue }) => settleQueue),
  });
  startSession();
  // The frame waits a moment for its page, and for a share that is on its way, so that all is drawn in one go.
  await Promise.race([prepareView(location.pathname), pause(config.openShare ? 700 : 300)]);
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
  // What a share is opened for goes first.
  if (config.openShare) await Promise.race([contentShown, pause(4000)]);
  void startSite();
  afterLoad(() => {
    void import('./pwa').then(({ startPwa }) => startPwa());
    void import('./shell/extras').then(({ startExtras }) => startExtras());
  });
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** isInherited says whether the program before this one has left something here that was not taken over yet. */
const isInherited = () =>
  !readStored('pp.inherited') && ['cloudpaste-content', 'file_explorer_view_mode'].some(readStored);

/** afterLoad leaves the network and the processor to the page that is being opened. */
function afterLoad(run: () => void): void {
  const later = () => void whenIdle(run);
  if (document.readyState === 'complete') later();
  else addEventListener('load', later, { once: true });
}

const root = document.getElementById('root');
if (root) void start(root);
