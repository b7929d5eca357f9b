import { useT } from '../../i18n';
import { TextField } from '../ui';
import { mostDays, type Latch } from './latch';
import styles from './latch.module.css';

interface LatchFieldsProps {
  latch: Latch;
  /** wrong says under the days that they cannot be sent as they are. */
  wrong: boolean;
  onChange: (change: Partial<Latch>) => void;
  onLeaveDays?: () => void;
}

/** LatchFields say who may open a share at all, and how its end moves when it is opened. */
export default function LatchFields({ latch, wrong, onChange, onLeaveDays }: LatchFieldsProps) {
  const t = useT();
  return (
    <>
      <label className={styles.choice}>
        <input
          type="checkbox"
          name="keyOnly"
          checked={latch.keyOnly}
          onChange={(event) => onChange({ keyOnly: event.target.checked })}
        />
        <span>
          {t('visits.access.keyOnly')}
          <small>{t('visits.access.keyOnlyHint')}</small>
        </span>
      </label>
      <label className={styles.choice}>
        <input
          type="checkbox"
          name="slides"
          checked={latch.slides}
          onChange={(event) => onChange({ slides: event.target.checked })}
        />
        <span>
          {t('visits.access.sliding')}
          <small>{t('visits.access.slidingHint')}</small>
        </span>
      </label>
      {latch.slides && (
        <>
          <TextField
            name="days"
            label={t('visits.access.days')}
            inputMode="numeric"
            value={latch.days}
            error={wrong ? t('visits.access.daysWrong', { most: mostDays }) : undefined}
            onChange={(event) => onChange({ days: event.target.value })}
            onBlur={onLeaveDays}
          />
          <TextField
            name="until"
            type="date"
            optional
            label={t('visits.access.until')}
            value={latch.until}
            onChange={(event) => onChange({ until: event.target.value })}
          />
        </>
      )}
    </>
  );
}
