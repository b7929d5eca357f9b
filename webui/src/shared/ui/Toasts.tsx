import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useT } from '../../i18n';
import { Button } from './Button';
import { IconButton } from './IconButton';
import styles from './Toasts.module.css';
import { atOnce, closeToast, subscribeToasts, toasts, type Toast } from './toasts';

const icons = { success: CircleCheck, info: Info, warning: TriangleAlert, error: CircleAlert };

/** Toasts is the one region for passing messages; the shell renders it once. */
export function Toasts() {
  const t = useT();
  const list = useSyncExternalStore(subscribeToasts, toasts);
  const [held, setHeld] = useState(false);
  return (
    <section
      className={styles.region}
      aria-label={t('common.notifications')}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {list.slice(0, atOnce).map((entry) => (
        <Message key={entry.id} toast={entry} held={held} />
      ))}
    </section>
  );
}

function Message({ toast, held }: { toast: Toast; held: boolean }) {
  const t = useT();
  const Icon = icons[toast.kind];

  useEffect(() => {
    if (held || toast.lasts === undefined) return;
    const timer = setTimeout(() => closeToast(toast.id), toast.lasts);
    return () => clearTimeout(timer);
  }, [held, toast.id, toast.lasts]);

  return (
    <div
      className={`${styles.toast} ${styles[toast.kind]}`}
      role={toast.kind === 'error' ? 'alert' : 'status'}
    >
      <Icon size={20} aria-hidden="true" />
      <p>{toast.text}</p>
      {toast.action && (
        <Button
          variant="quiet"
          onClick={() => {
            closeToast(toast.id);
            toast.action?.run();
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <IconButton label={t('common.close')} onClick={() => closeToast(toast.id)}>
        <X size={18} aria-hidden="true" />
      </IconButton>
    </div>
  );
}
