import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { useT } from '../../i18n';
import { Button } from './Button';
import { IconButton } from './IconButton';
import styles from './Toasts.module.css';
import { closeToast, type Toast } from './toasts';

const icons = { success: CircleCheck, info: Info, warning: TriangleAlert, error: CircleAlert };

/** ToastMessage is one passing message. */
export default function ToastMessage({ toast, held }: { toast: Toast; held: boolean }) {
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
        <X size={18} aria-hidden="true" />
      </IconButton>
    </div>
  );
}
