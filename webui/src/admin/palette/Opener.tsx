import { Search } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useListener } from '../../hooks/useListener';
import { useT } from '../../i18n';
import { IconButton } from '../../shared/ui';
import styles from './opener.module.css';

const Palette = lazy(() => import('./Palette'));

const apple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Opener is the palette's button and its key: Ctrl K, on Apple's keyboards ⌘ K. */
export function Opener({ onOpen }: { onOpen: () => void }) {
  const t = useT();
  return (
    <button
      type="button"
      className={styles.opener}
      aria-keyshortcuts={apple ? 'Meta+K' : 'Control+K'}
      onClick={onOpen}
    >
      <Search size={18} />
      <span>{t('admin.palette.open')}</span>
      <kbd aria-hidden="true">{apple ? '⌘ K' : 'Ctrl K'}</kbd>
    </button>
  );
}

/** SmallOpener is the button where there is room for an icon alone. */
export function SmallOpener({ onOpen }: { onOpen: () => void }) {
  const t = useT();
  return (
    <IconButton label={t('admin.palette.open')} onClick={onOpen}>
      <Search size={20} />
    </IconButton>
  );
}

interface PaletteHostProps {
  shown: boolean;
  onShow: (shown: boolean) => void;
}

/** PaletteHost shows the palette when a button or its key has asked for it. */
export function PaletteHost({ shown, onShow }: PaletteHostProps) {
  useListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(apple ? event.metaKey : event.ctrlKey)) return;
    if (event.altKey || event.shiftKey || event.defaultPrevented) return;
    // The browser would search the web.
    event.preventDefault();
    if (shown || !document.querySelector('dialog[open], [aria-modal="true"]')) onShow(!shown);
  });
  return shown && <Suspense fallback={null}>{<Palette onClose={() => onShow(false)} />}</Suspense>;
}
