import { BellRing, CircleUserRound, Gauge, LogOut, MonitorSmartphone } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { createPortal } from 'react-dom';
import { useLocation } from 'wouter';
import { useSession } from '../auth/session';
import { loadAreas, useT } from '../i18n';
import { openPanel } from '../shared/offline/panels';
import { Menu } from '../shared/ui';
import styles from './Header.module.css';

const UsageDialog = lazy(
  async () => (await Promise.all([import('./usage/UsageDialog'), loadAreas('usage')]))[0],
);

const NotifyDialog = lazy(
  async () => (await Promise.all([import('./notify/NotifyDialog'), loadAreas('channels')]))[0],
);

/** WhoChip says who is signed in and signs them out; visitors see nothing. */
export default function WhoChip() {
  const t = useT();
  const session = useSession();
  const [, navigate] = useLocation();
  const [usage, setUsage] = useState(false);
  const [notify, setNotify] = useState(false);
  if (session.kind === 'none') return null;

  async function leave() {
    const asked = await import('../shared/leave');
    if (await asked.leave(t)) navigate('/', { replace: true });
  }

  const who = session.kind === 'admin' ? t('app.who.admin') : t('app.who.key', { name: session.name });
  return (
    <>
      <Menu
        label={who}
        button={(attributes) => (
          <button
            type="button"
            className={styles.chip}
            data-admin={session.kind === 'admin' || undefined}
            aria-label={who}
            title={who}
            {...attributes}
          >
            <CircleUserRound size={18} />
            <span>{who}</span>
          </button>
        )}
        items={[
          ...(session.kind === 'apikey'
            ? [
                {
                  label: t('app.who.usage'),
                  icon: <Gauge size={18} />,
                  run: () => setUsage(true),
                },
              ]
            : []),
          {
            label: t('app.who.notify'),
            icon: <BellRing size={18} />,
            run: () => setNotify(true),
          },
          {
            label: t('app.who.device'),
            icon: <MonitorSmartphone size={18} />,
            run: () => openPanel.set('status'),
          },
          {
            label: t('app.who.signOut'),
            icon: <LogOut size={18} />,
            run: () => void leave(),
          },
        ]}
      />
      {notify &&
        createPortal(
          <Suspense>
            <NotifyDialog onClose={() => setNotify(false)} />
          </Suspense>,
          document.body,
        )}
      {usage &&
        createPortal(
          <Suspense>
            <UsageDialog onClose={() => setUsage(false)} />
          </Suspense>,
          document.body,
        )}
    </>
  );
}
