import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { useT } from '../../i18n';
import { Button } from './Button';
import { IconButton } from './IconButton';
import styles from './Toasts.module.css';
import { closeToast, toasts, type Toast } from './toasts';

const icons = { success: CircleCheck, info: Info, warning: TriangleAlert, error: CircleAlert };

/** ToastMessage is one passing message. */
export default function ToastMessage({ toast, held }: { toast: Toast; held: boolean }) {
  const t = useT();
  const Icon = icons[toast.kind];

  const { id, lasts } = toast;
  useEffect(() => (held ? undefined : pass(id, lasts)), [held, id, lasts]);

  return (
    <div
      className={`${styles.toast} ${styles[toast.kind]}`}
      role={toast.kind === 'error' ? 'alert' : 'status'}
    >
      <Icon size={20} />
      <p>{toast.text}</p>
      {toast.actions.map(({ label, run }) => (
        <Button
          key={label}
          variant="quiet"
          onClick={() => {
            closeToast(toast.id);
            run();
          }}
        >
          {label}
        </Button>
      ))}
      <IconButton label={t('common.close')} onClick={() => closeToast(toast.id)}>
        <X size={18} />
      </IconButton>
    </div>
  );
}

// Milliseconds left to messages whose time stands still.
const left = new Map<number, number>();

/** Least time in milliseconds that a message stands after it was held. */
const atLeast = 1000;

/** pass lets a message's time pass until the answer is called; wherever it is shown then, it has what is left. */
function pass(id: number, lasts: number | undefined): () => void {
  if (lasts === undefined) return () => undefined;
  const begun = Date.now();
  const rest = left.get(id) ?? lasts;
  const timer = setTimeout(() => closeToast(id), rest);
  return () => {
    clearTimeout(timer);
    left.delete(id);
    if (toasts.get().some((entry) => entry.id === id))
      left.set(id, Math.max(atLeast, rest - (Date.now() - begun)));
  };
}
