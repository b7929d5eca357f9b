import { useT } from '../../i18n';
import { SelectField } from '../ui';
import styles from './preview.module.css';

/** Speeds that a player offers. */
const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const;

interface SpeedFieldProps {
  /** speed is a factor; 1 is as recorded. */
  speed: number;
  onChange: (speed: number) => void;
}

/** SpeedField chooses how fast a sound or a film is played. */
export function SpeedField({ speed, onChange }: SpeedFieldProps) {
  const t = useT();
  return (
    <SelectField
      className={styles.speed}
      label={t('viewers.media.speed')}
      value={String(speed)}
      choices={speeds.map((value) => ({ value: String(value), label: `${value}×` }))}
      onChange={(event) => onChange(Number(event.target.value))}
    />
  );
}
