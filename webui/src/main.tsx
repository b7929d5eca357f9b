import 'virtual:tokens.css';
import './theme/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { startSession } from './auth/session';
import { startLanguage } from './i18n';
import { startSite } from './shared/site';
import { startScroll } from './shell/scroll';
import { startTheme } from './theme/mode';

async function start(root: HTMLElement): Promise<void> {
  startTheme();
  startScroll();
  await startLanguage();
  startSession();
  void startSite();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

const root = document.getElementById('root');
if (root) void start(root);
