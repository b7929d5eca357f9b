import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { useT } from '../../i18n';
import { makeStore, useStore } from '../../store';
import { IconButton } from '../../shared/ui';
import styles from './opener.module.css';

const Palette = lazy(() => import('./Palette'));
const open = makeStore(false);
const close = () => open.set(false);

const apple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Opener is the palette's button and its key: Ctrl K, on Apple's keyboards ⌘ K. */
export function Opener() {
  const t = useT();
  return (
    <button
      type="button"
      className={styles.opener}
      aria-keyshortcuts={apple ? 'Meta+K' : 'Control+K'}
      onClick={() => open.set(true)}
    >
      <Search size={18} aria-hidden="true" />
      <span>{t('admin.palette.open')}</span>
      <kbd aria-hidden="true">{apple ? '⌘ K' : 'Ctrl K'}</kbd>
    </button>
  );
}

/** SmallOpener is the button where there is room for an icon alone. */
export function SmallOpener() {
  const t = useT();
  return (
    <IconButton label={t('admin.palette.open')} onClick={() => open.set(true)}>
      <Search size={20} aria-hidden="true" />
    </IconButton>
  );
}

/** PaletteHost shows the palette when a button or its key has asked for it. */
export function PaletteHost() {
  const shown = useStore(open);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(apple ? event.metaKey : event.ctrlKey)) return;
      if (event.altKey || event.shiftKey || event.defaultPrevented) return;
      // The browser would search the web.
      event.preventDefault();
      if (open.get()) close();
      else if (!document.querySelector('dialog[open], [aria-modal="true"]')) open.set(true);
    };
    addEventListener('keydown', key);
    return () => {
      removeEventListener('keydown', key);
      close();
    };
  }, []);
  return shown && <Suspense fallback={null}>{<Palette onClose={close} />}</Suspense>;
}
