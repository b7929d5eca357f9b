import { resend, type Delivery } from '../../api/admin/channels';
import { useT } from '../../i18n';
import { problemText } from '../../shared/notify/problemText';
import { useReading } from '../../shared/query/useReading';
import { Button, Time, TimeIn } from '../../shared/ui';
import { deliveriesQuery } from '../data/queries';
import { Chip } from '../share/cells';
import { useAct } from '../useAct';
import styles from './channels.module.css';

const tones = { held: undefined, waiting: 'warn', delivered: 'ok', dead: 'danger' } as const;

/** Deliveries are the newest messages to a channel. */
export function Deliveries({ channel }: { channel: string }) {
  const t = useT();
  const { act } = useAct();
  const { data, retry: refresh } = useReading(deliveriesQuery(channel));
  if (!data) return null;

  const again = (delivery?: string) =>
    act(
      () => resend(channel, delivery).finally(refresh),
      ({ count }) => t('channels.resent', count),
    );

  return (
    <section className={styles.deliveries}>
      <div className={styles.head}>
        <h2>{t('channels.deliveries')}</h2>
        <Button onClick={refresh}>{t('channels.refresh')}</Button>
        {data.deliveries.some(({ status }) => status === 'dead') && (
          <Button onClick={() => again()}>{t('channels.resendAll')}</Button>
        )}
      </div>
      {data.deliveries.length === 0 ? (
        <p>{t('channels.none')}</p>
      ) : (
        <ul>
          {data.deliveries.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} onResend={() => again(delivery.id)} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Row({ delivery, onResend }: { delivery: Delivery; onResend: () => void }) {
  const t = useT();
  const { status, kind, problem, answer, attempts, times, at, next_at: next } = delivery;
  return (
    <li>
      <Chip tone={tones[status]}>{t(`channels.statuses.${status}`)}</Chip> <code>{kind}</code>{' '}
      <small>
        <Time value={at} />
        {times && ` · ${t(kind === 'channel.digest' ? 'channels.count' : 'channels.times', times)}`}
        {problem && ` · ${problemText(problem, answer, t)}`}
        {attempts > 1 && ` · ${t('channels.attempts', attempts)}`}
        {next && (attempts > 0 || status === 'held') && (
          <>
            {' · '}
            <TimeIn sentence={status === 'held' ? 'channels.due' : 'channels.next'} value={next} relative />
          </>
        )}
      </small>
      {status === 'dead' && <Button onClick={onResend}>{t('channels.resend')}</Button>}
    </li>
  );
}
