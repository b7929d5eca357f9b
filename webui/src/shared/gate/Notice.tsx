import { CircleOff, Flame } from 'lucide-react';
import { Link } from 'wouter';
import { ApiError } from '../../api/errors';
import { Gate as SignIn } from '../../auth/Gate';
import { useT } from '../../i18n';
import { PageHeading } from '../page';
import { ErrorPanel } from '../problem/ErrorPanel';
import { Button, buttonClass } from '../ui';
import styles from './gate.module.css';
import type { Gate } from './useGate';

/** Closed are a title and a sentence for each way in which a link can lead nowhere. */
export type Closed = Record<'gone' | 'missing', { title: string; body: string }>;

interface NoticeProps {
  gate: Extract<Gate<unknown>, { state: 'lastView' | 'gone' | 'missing' | 'failed' }>;
  /** title of the page, for a fault that says nothing of the share. */
  title: string;
  closed?: Closed | undefined;
  onOpen: () => void;
  onRetry: () => void;
}

const goneTexts = { expired: 'expired', used_up: 'usedUp', '': 'body' } as const;

/** Notice says why a share is not shown, or not yet. */
export function Notice({ gate, title, closed, onOpen, onRetry }: NoticeProps) {
  const t = useT();
  switch (gate.state) {
    case 'lastView':
      return (
        <section className={styles.card}>
          <Flame size={24} />
          <PageHeading>{t('shareGate.lastView.title')}</PageHeading>
          <p>{t('shareGate.lastView.body')}</p>
          <Button variant="primary" busy={gate.busy} onClick={onOpen}>
            {t('shareGate.lastView.open')}
          </Button>
        </section>
      );
    case 'failed':
      return (
        <div className={styles.failed}>
          <PageHeading>{title}</PageHeading>
          {gate.error instanceof ApiError && gate.error.code === 'key_required' ? (
            <SignIn need="share" />
          ) : (
            <ErrorPanel error={gate.error} onRetry={onRetry} onBack={() => history.back()} />
          )}
        </div>
      );
    case 'gone':
    case 'missing':
      return (
        <section className={styles.card}>
          <CircleOff size={24} />
          <PageHeading>{closed?.[gate.state].title ?? t(`shareGate.${gate.state}.title`)}</PageHeading>
          <p>
            {closed?.[gate.state].body ??
              t(
                gate.state === 'gone' ? `shareGate.gone.${goneTexts[gate.reason]}` : 'shareGate.missing.body',
              )}
          </p>
          <Link href="/" className={buttonClass()}>
            {t('shareGate.home')}
          </Link>
        </section>
      );
  }
}
