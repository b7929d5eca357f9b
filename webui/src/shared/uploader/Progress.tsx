import type { ReactNode } from 'react';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatSize } from '../format';
import { formatDuration } from './duration';
import { percentOf, type UploadTotals } from './queue';
import styles from './row.module.css';

interface PaceProps {
  /** speed in bytes per second and remaining seconds; null while unknown. */
  speed: number | null;
  remaining: number | null;
}

/** Pace is how fast something goes, and how long it still takes. */
export function Pace({ speed, remaining }: PaceProps) {
  const t = useT();
  const language = useLanguage();
  return (
    <>
      {speed !== null && <span>{t('file.progress.speed', { speed: formatSize(speed, language) })}</span>}
      {remaining !== null && <span>{t('file.progress.left', { time: formatDuration(remaining, t) })}</span>}
    </>
  );
}

interface ProgressProps extends PaceProps {
  label: string;
  percent: number;
  /** sent and bytes are sizes; bytes are null while unknown. */
  sent: number;
  bytes: number | null;
  /** children say what is done. */
  children: ReactNode;
}

/** Progress is a bar with its figures. */
export function Progress({ label, percent, sent, bytes, children, ...pace }: ProgressProps) {
  const language = useLanguage();
  return (
    <div className={styles.progress}>
      <progress max={100} value={percent} aria-label={label} />
      <p className={styles.rowFacts}>
        <span>{children}</span>
        <span>{percent}%</span>
        <span>
          {formatSize(sent, language)}
          {bytes !== null && ` / ${formatSize(bytes, language)}`}
        </span>
        <Pace {...pace} />
      </p>
    </div>
  );
}

/** Totals are how far the whole list is. */
export function Totals({ totals: { done, files, sent, bytes, speed, remaining } }: { totals: UploadTotals }) {
  const t = useT();
  const language = useLanguage();
  return (
    <Progress
      label={t('file.progress.label')}
      percent={percentOf(sent, bytes)}
      {...{ sent, bytes, speed, remaining }}
    >
      {t('file.progress.files', {
        done: formatNumber(done, language),
        files: formatNumber(files, language),
      })}
    </Progress>
  );
}
