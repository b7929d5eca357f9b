import { useState } from 'react';
import { leave } from '../../shared/leave';
import { useTimer } from '../../hooks/useTimer';
import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import { useNavigate } from '../router';
import styles from './account.module.css';

/** Seconds between a change of the account and the sign-out that follows it. */
const countdownFrom = 5;

/** Countdown signs out after a change, which has ended all sessions on the server; it can be stopped. */
export function Countdown() {
  const t = useT();
  const navigate = useNavigate();
  const [left, setLeft] = useState(countdownFrom);
  const [stays, setStays] = useState(false);
  const go = async () => {
    if (await leave(t)) navigate('/admin', { replace: true });
    else setStays(true);
  };
  useTimer(() => (left > 1 ? setLeft(left - 1) : void go()), stays ? undefined : 1000, left);
  return (
    <div className={styles.done} role="status">
      <p>
        <strong>{t('admin.account.done')}</strong>{' '}
        {stays ? t('admin.account.stayed') : t('admin.account.countdown', left)}
      </p>
      <Button
        variant="primary"
        onClick={() => {
          setStays(true);
          void go();
        }}
      >
        {t('admin.account.now')}
      </Button>
      <Button aria-disabled={stays} onClick={() => setStays(true)}>
        {t('admin.account.stay')}
      </Button>
    </div>
  );
}
