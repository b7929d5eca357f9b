import { X } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { useT } from '../../i18n';
import styles from './Dialog.module.css';
import { IconButton } from './IconButton';
import { modal } from './modal';
import { scrollStop } from './scrollStop';

interface DialogProps {
  title: string;
  /** onClose is called for Escape, the backdrop and the close icon; the owner then stops rendering the dialog. */
  onClose: () => void;
  children: ReactNode;
  /** footer holds the buttons. */
  footer?: ReactNode;
  /** wide is for work with much to see; "medium" for forms and lists that a narrow one would break. */
  wide?: boolean | 'medium';
  /** role "alertdialog" for questions; those have no close icon and stay on a click beside them. */
  role?: 'dialog' | 'alertdialog';
}

/**
 * Dialog is a modal native dialog, open as long as it is rendered. The browser traps the focus, makes the rest
 * inert and gives the focus back; an element with autoFocus inside gets it first.
 */
export function Dialog({ title, onClose, children, footer, wide = false, role = 'dialog' }: DialogProps) {
  const t = useT();
  const titleId = useId();
  return (
    <dialog
      ref={modal}
      role={role}
      aria-labelledby={titleId}
      aria-modal="true"
      className={`${styles.dialog} ${wide ? styles.wide : ''} ${wide === 'medium' ? styles.medium : ''}`}
      onCancel={(event) => {
        event.preventDefault();
        // React hands it on to the dialogs around the one that is meant.
        if (event.target === event.currentTarget) onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget && role === 'dialog') onClose();
      }}
    >
      <div className={styles.inside}>
        <header className={styles.header}>
          <h2 id={titleId}>{title}</h2>
          {role === 'dialog' && (
            <IconButton label={t('common.close')} onClick={onClose}>
              <X size={20} />
            </IconButton>
          )}
        </header>
        <div ref={scrollStop} className={styles.body}>
          <div>{children}</div>
        </div>
        {footer && <footer className={styles.footer}>{footer}</footer>}
      </div>
    </dialog>
  );
}
