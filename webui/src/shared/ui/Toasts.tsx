import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { useT } from '../../i18n';
import styles from './Toasts.module.css';
import { atOnce, subscribeToasts, toasts } from './toasts';

const ToastMessage = lazy(() => import('./ToastMessage'));

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
      <Suspense fallback={null}>
        {list.slice(0, atOnce).map((entry) => (
          <ToastMessage key={entry.id} toast={entry} held={held} />
        ))}
      </Suspense>
    </section>
  );
}
