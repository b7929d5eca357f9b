import { lazy, Suspense, useState } from 'react';
import { createPortal } from 'react-dom';
import { useT } from '../../i18n';
import { useStore } from '../../store';
import { useTopDialog } from './openDialogs';
import styles from './Toasts.module.css';
import { atOnce, toasts } from './toasts';

// Where it cannot be fetched, a message less is better than no page.
const ToastMessage = lazy(() => import('./ToastMessage').catch(() => ({ default: () => <></> })));

/** Toasts shows passing messages, in the dialog on top where one is open; the shell renders it once. */
export function Toasts() {
  const dialog = useTopDialog();
  return dialog ? createPortal(<Region />, dialog) : <Region />;
}

/** Region is the one place for messages. Moved elsewhere it begins anew, without a pointer above it. */
function Region() {
  const t = useT();
  const list = useStore(toasts);
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
