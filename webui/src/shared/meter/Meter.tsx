import styles from './meter.module.css';
import { levelOf } from './level';

/** Meter shows how full something is, in percent; the words beside it say the same. */
export function Meter({ percent, label }: { percent: number; label: string }) {
  return (
    <meter
      className={styles.meter}
      data-level={levelOf(percent)}
      min={0}
      max={100}
      value={percent}
      aria-label={label}
    />
  );
}
