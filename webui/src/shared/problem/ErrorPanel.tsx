import { CircleAlert } from 'lucide-react';
import { ApiError } from '../../api/errors';
import { errorText } from '../../api/errorText';
import { config } from '../../config';
import { useT } from '../../i18n';
import { Button } from '../ui/Button';
import { CopyButton } from '../ui/CopyButton';
import styles from '../ui/EmptyState.module.css';

interface ErrorPanelProps {
  error: unknown;
  /** title says what did not work; "This did not work" by default. */
  title?: string;
  onRetry?: () => void;
  onBack?: () => void;
}

/** ErrorPanel stands where a page's content would be: what happened, the request id, what to do. */
export function ErrorPanel({ error, title, onRetry, onBack }: ErrorPanelProps) {
  const t = useT();
  const known = error instanceof ApiError ? error : undefined;
  const details = known
    ? [`status ${known.status}`, known.code, known.message, known.requestId && `request ${known.requestId}`]
        .filter(Boolean)
        .join('\n')
    : '';
  return (
    <div className={styles.panel} role="alert">
      <span className={styles.tone}>
        <CircleAlert size={24} />
      </span>
      <p className={styles.title}>{title ?? t('errors.title')}</p>
      <p className={styles.body}>{errorText(error, t)}</p>
      {known?.decisionId && (
        <p className={styles.small}>
          <a href={`${config.basePath}/admin/policies?decision=${encodeURIComponent(known.decisionId)}`}>
            {t('common.decisionId', { id: known.decisionId })}
          </a>
        </p>
      )}
      {known?.requestId && <p className={styles.small}>{t('common.requestId', { id: known.requestId })}</p>}
      <div className={styles.actions}>
        {onRetry && (
          <Button variant="primary" onClick={onRetry}>
            {t('common.retry')}
          </Button>
        )}
        {onBack && <Button onClick={onBack}>{t('common.back')}</Button>}
        {known && known.status >= 500 && (
          <CopyButton variant="quiet" text={details} label={t('common.copyDetails')} />
        )}
      </div>
    </div>
  );
}
