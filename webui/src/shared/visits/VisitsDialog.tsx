import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck } from 'lucide-react';
import type { ShareKind, Visit } from '../../api/visits';
import { useT } from '../../i18n';
import { ErrorPanel } from '../problem/ErrorPanel';
import { Queries } from '../query/Queries';
import { visitsQuery } from '../query/visits';
import { Button, Dialog, Skeleton, Time } from '../ui';
import styles from './visits.module.css';
import { whatText, whoText } from './words';

interface VisitsDialogProps {
  kind: ShareKind;
  id: string;
  name: string;
  onClose: () => void;
}

/** VisitsDialog shows the owner of a share who opened it, and who was turned away. */
export default function VisitsDialog(props: VisitsDialogProps) {
  return (
    <Queries>
      <Visits {...props} />
    </Queries>
  );
}

function Visits({ kind, id, name, onClose }: VisitsDialogProps) {
  const t = useT();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    visitsQuery(kind, id),
  );
  return (
    <Dialog
      wide
      title={t('visits.title', { name })}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={6} />}
      {data?.length === 0 && <p>{t('visits.empty')}</p>}
      {data && data.length > 0 && (
        <div className={styles.rows} role="region" aria-label={t('visits.page')} tabIndex={0}>
          <ul>
            {data.map((visit) => (
              <Row key={visit.n} visit={visit} />
            ))}
          </ul>
          {hasNextPage && (
            <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('visits.more')}
            </Button>
          )}
        </div>
      )}
      <p className={styles.kept}>{t('visits.kept')}</p>
    </Dialog>
  );
}

function Row({ visit }: { visit: Visit }) {
  const t = useT();
  const opened = visit.verdict === 'opened';
  const Icon = opened ? CircleCheck : CircleAlert;
  return (
    <li className={opened ? styles.opened : styles.refused}>
      <Icon size={18} />
      <span className={styles.what}>
        <strong>{opened ? whatText(visit, t) : t(`visits.verdicts.${visit.verdict}`)}</strong>
        <Time value={visit.timestamp} />
      </span>
      <span className={styles.facts}>
        <span>{whoText(visit, t)}</span>
        {visit.address && <code>{visit.address}</code>}
        {visit.agent && <span>{visit.agent}</span>}
        {visit.times > 1 && visit.address + visit.agent !== '' && (
          <span>{t('visits.times', visit.times)}</span>
        )}
      </span>
    </li>
  );
}
