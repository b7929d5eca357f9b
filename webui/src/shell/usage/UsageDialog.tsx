import type { Quotas } from '../../api/usage';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatSize } from '../../shared/format';
import { percentOf } from '../../shared/meter/level';
import { Meter } from '../../shared/meter/Meter';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { quotasQuery } from '../../shared/query/account';
import { Queries } from '../../shared/query/Queries';
import { useReading } from '../../shared/query/useReading';
import { Dialog, Skeleton } from '../../shared/ui';
import dialog from '../dialog.module.css';
import styles from './usage.module.css';

/** UsageDialog shows whoever is signed in with an API key what it has used of what it may. */
export default function UsageDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  // The server counts days by UTC; people read their own time.
  const time = new Date(new Date().setUTCHours(24, 0, 0, 0)).toLocaleTimeString(useLanguage(), {
    hour: 'numeric',
    minute: '2-digit',
  });
  return (
    <Dialog title={t('usage.title')} onClose={onClose}>
      <div className={dialog.body}>
        <p className={dialog.note}>{t('usage.intro', { time })}</p>
        <Queries>
          <Usage />
        </Queries>
      </div>
    </Dialog>
  );
}

function Usage() {
  const { data, error, retry } = useReading(quotasQuery);
  return (
    <>
      {error && <ErrorPanel error={error} onRetry={retry} />}
      {!data && !error && <Skeleton lines={6} />}
      {data && <Figures {...data} />}
    </>
  );
}

function Figures({ usage, limits }: Quotas) {
  const t = useT();
  const language = useLanguage();
  const size = (bytes: number) => formatSize(bytes, language);
  const count = (files: number) => formatNumber(files, language);
  const figures = [
    ['bytesToday', usage.bytes_today, limits.bytes_today, size],
    ['filesToday', usage.files_today, limits.files_today, count],
    ['bytesStored', usage.bytes_stored, limits.bytes_stored, size],
  ] as const;
  const used = figures.some(([, value]) => value > 0);
  const limited = figures.some(([, , limit]) => limit > 0);
  if (!used && !limited) return <p>{t('usage.none')}</p>;
  return (
    <>
      <dl className={styles.figures}>
        {figures.map(([name, value, limit, write]) => {
          const label = t(`usage.${name}`);
          const left = limit - value;
          return (
            <div key={name}>
              <dt>{label}</dt>
              {limit > 0 ? (
                <dd>
                  <Meter percent={percentOf(value, limit) ?? 0} label={label} />
                  <span>{t('usage.of', { used: write(value), limit: write(limit) })}</span>
                  <span className={dialog.note}>
                    {left > 0 ? t('usage.left', { left: write(left) }) : t('usage.reached')}
                  </span>
                </dd>
              ) : (
                <dd>{t('usage.noLimit', { used: write(value) })}</dd>
              )}
            </div>
          );
        })}
      </dl>
      <p className={dialog.note}>{t('usage.mounts')}</p>
    </>
  );
}
