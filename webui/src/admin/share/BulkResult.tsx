import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { Button, Dialog } from '../../shared/ui';
import { Link } from '../router';
import styles from './share.module.css';

/** A row for which an action did not work. */
export interface Failed {
  name: string;
  error: string;
  /** wayOut leads to where the reason can be seen to. */
  wayOut?: { to: string; label: string };
}

/** What an action on many rows did. */
export interface BulkOutcome {
  done: number;
  /** queued counts what waits on this device until the network is back. */
  queued?: number;
  failed: readonly Failed[];
}

/** BulkResult lists the rows for which an action did not work, with the reason of each. */
export function BulkResult({ outcome, onClose }: { outcome: BulkOutcome; onClose: () => void }) {
  const t = useT();
  const language = useLanguage();
  return (
    <Dialog
      title={t('admin.bulk.result')}
      onClose={onClose}
      footer={
        <Button variant="primary" data-autofocus onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      <div className={styles.stack}>
        <p>
          {t('admin.bulk.partly', {
            done: formatNumber(outcome.done, language),
            failed: formatNumber(outcome.failed.length, language),
          })}
        </p>
        <h3>{t('admin.bulk.failed')}</h3>
        <ul className={styles.failures}>
          {outcome.failed.map(({ name, error, wayOut }) => (
            <li key={name}>
              <strong>{name}</strong>: {error}{' '}
              {wayOut && (
                <Link to={wayOut.to} onClick={onClose}>
                  {wayOut.label}
                </Link>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
