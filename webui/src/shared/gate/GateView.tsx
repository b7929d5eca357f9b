import { CircleOff, Flame } from 'lucide-react';
import { lazy, Suspense, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useT } from '../../i18n';
import { PageHeading } from '../page';
import { Button, buttonClass } from '../ui';
import styles from './gate.module.css';
import type { GateControl } from './useGate';

const PasswordForm = lazy(() =>
  import('./PasswordForm').then((module) => ({ default: module.PasswordForm })),
);

const ErrorPanel = lazy(() => import('../ui/ErrorPanel').then((module) => ({ default: module.ErrorPanel })));

interface GateViewProps<T> {
  control: GateControl<T>;
  /** heading of the page while it has no name yet. */
  title: string;
  /** loading keeps the layout of what will be shown. */
  loading: ReactNode;
  children: (share: T, password: string) => ReactNode;
}

/** GateView shows what stands between a visitor and a share, and the share once it is open. */
export function GateView<T>({ control, title, loading, children }: GateViewProps<T>) {
  const t = useT();
  const { gate } = control;
  switch (gate.state) {
    case 'loading':
      return loading;
    case 'open':
      return children(gate.share, gate.password);
    case 'password':
      return (
        <Suspense fallback={loading}>
          <PasswordForm
            isLastView={gate.isLastView}
            busy={gate.busy}
            error={gate.error}
            onSubmit={control.unlock}
          />
        </Suspense>
      );
    case 'lastView':
      return (
        <section className={styles.card}>
          <Flame size={24} aria-hidden="true" />
          <PageHeading>{t('shareGate.lastView.title')}</PageHeading>
          <p>{t('shareGate.lastView.body')}</p>
          <Button variant="primary" busy={gate.busy} onClick={control.openLast}>
            {t('shareGate.lastView.open')}
          </Button>
        </section>
      );
    case 'gone':
      return (
        <section className={styles.card}>
          <CircleOff size={24} aria-hidden="true" />
          <PageHeading>{t('shareGate.gone.title')}</PageHeading>
          <p>{t(`shareGate.gone.${goneTexts[gate.reason]}`)}</p>
          <HomeLink />
        </section>
      );
    case 'missing':
      return (
        <section className={styles.card}>
          <CircleOff size={24} aria-hidden="true" />
          <PageHeading>{t('shareGate.missing.title')}</PageHeading>
          <p>{t('shareGate.missing.body')}</p>
          <HomeLink />
        </section>
      );
    case 'failed':
      return (
        <div className={styles.failed}>
          <PageHeading>{title}</PageHeading>
          <Suspense fallback={null}>
            <ErrorPanel error={gate.error} onRetry={control.retry} onBack={() => history.back()} />
          </Suspense>
        </div>
      );
  }
}

const goneTexts = { expired: 'expired', used_up: 'usedUp', '': 'body' } as const;

function HomeLink() {
  const t = useT();
  return (
    <Link href="/" className={buttonClass()}>
      {t('shareGate.home')}
    </Link>
  );
}
