import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { useT } from '../../i18n';
import { Button } from './Button';
import { IconButton } from './IconButton';
import styles from './Toasts.module.css';
import { closeToast, runToast, type Toast } from './toasts';

const icons = { success: CircleCheck, info: Info, warning: TriangleAlert, error: CircleAlert };

/** ToastMessage is one passing message. */
export default function ToastMessage({ toast, held }: { toast: Toast; held: boolean }) {
  const t = useT();
  const Icon = icons[toast.kind];

  const { id, lasts } = toast;
  useEffect(() => (held ? undefined : runToast(id, lasts)), [held, id, lasts]);

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
