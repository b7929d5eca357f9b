import { createRoot } from 'react-dom/client';
import { loadAreas } from '../../i18n';
import { Extras } from './Extras';
import { keysOff, showKeys } from './keys';

let begun: Promise<void> | undefined;

/** startExtras begins what every page has and none needs at first: the list of keys, the choice of a back end. */
export function startExtras(): Promise<void> {
  begun ??= begin();
  return begun;
}

async function begin(): Promise<void> {
  await loadAreas('shortcuts');
  const place = document.createElement('div');
  document.body.append(place);
  createRoot(place).render(<Extras />);
  addEventListener('keydown', (event) => {
    if (event.key !== '?' || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (keysOff() || isTyping(event.target) || document.querySelector('dialog[open], [aria-modal="true"]'))
      return;
    event.preventDefault();
    showKeys(true);
  });
}

const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable]:not([contenteditable="false"])') !== null;

/** openKeys shows the list of keys, however early it is asked for. */
export async function openKeys(): Promise<void> {
  await startExtras();
  showKeys(true);
}
