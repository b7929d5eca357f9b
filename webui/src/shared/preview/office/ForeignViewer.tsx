import { LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { useTimer } from '../../../hooks/useTimer';
import { useT } from '../../../i18n';
import { Button } from '../../ui';
import shared from '../preview.module.css';
import { useWork } from '../useWork';
import styles from './office.module.css';
import { isOutside, viewerUrl, type Viewer } from './rules';

/** Milliseconds after which a viewer that has shown nothing counts as missing. */
const patience = 10_000;

interface ForeignViewerProps {
  viewer: Exclude<Viewer, 'page'>;
  template: string;
  name: string;
  lend: (signal: AbortSignal) => Promise<string>;
  /** onLate is told that nothing came, and says whether another viewer takes over. */
  onLate: () => boolean;
  onRetry: () => void;
  /** attempt counts how often the viewer was begun anew; each asks for an address of its own. */
  attempt: number;
}

type Step =
  | { at: 'asking' }
  | { at: 'loading' | 'shown'; url: string }
  | { at: 'inside' }
  | { at: 'failed'; why: 'link' | 'late' };

/** ForeignViewer lets the viewer of another site show a document, in a frame that reaches nothing of ours. */
export function ForeignViewer({
  viewer,
  template,
  name,
  lend,
  onLate,
  onRetry,
  attempt,
}: ForeignViewerProps) {
  const t = useT();
  const [step, setStep] = useState<Step>({ at: 'asking' });
  const who = t(`viewers.office.by.${viewer}`);

  const lent = useWork(['lent', viewer, name, attempt], lend);
  if (step.at === 'asking' && lent.failed) setStep({ at: 'failed', why: 'link' });
  if (step.at === 'asking' && lent.value !== undefined) {
    // The site's own viewer may well stand in the same network.
    if (viewer !== 'site' && !isOutside(lent.value)) setStep({ at: 'inside' });
    else setStep({ at: 'loading', url: viewerUrl(viewer, lent.value, template) });
  }

  useTimer(
    () => {
      if (!onLate()) setStep({ at: 'failed', why: 'late' });
    },
    step.at === 'loading' ? patience : undefined,
  );

  if (step.at === 'inside') {
    return (
      <div className={styles.stage}>
        <p className={shared.notice}>{t('viewers.office.inside', { viewer: who })}</p>
      </div>
    );
  }
  if (step.at === 'failed') {
    return (
      <div className={styles.stage}>
        <div className={shared.notice} role="alert">
          <p>{t(`viewers.office.failed.${step.why}`, { viewer: who })}</p>
          <ul className={styles.hints}>
            {(['refresh', 'password', 'direct'] as const).map((hint) => (
              <li key={hint}>{t(`viewers.office.hints.${hint}`)}</li>
            ))}
          </ul>
          <Button onClick={onRetry}>{t('common.retry')}</Button>
        </div>
      </div>
    );
  }
  return (
    <div className={styles.stage}>
      {step.at !== 'shown' && (
        <p className={styles.overlay} role="status">
          <LoaderCircle size={20} />
          {t('viewers.office.loading', { viewer: who })}
        </p>
      )}
      {step.at !== 'asking' && (
        <iframe
          className={styles.frame}
          title={name}
          src={step.url}
          // Their own origin, which is never ours.
          sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
          referrerPolicy="no-referrer"
          allow="fullscreen"
          onLoad={() => setStep({ at: 'shown', url: step.url })}
        />
      )}
    </div>
  );
}
