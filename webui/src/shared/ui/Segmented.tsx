import { useId, type ReactNode } from 'react';
import styles from './Segmented.module.css';

interface SegmentedProps<V extends string> {
  label: string;
  value: V;
  onChange: (value: V) => void;
  /** hint of a choice tells what it does: a tooltip, and its description. */
  choices: readonly { value: V; label: string; icon?: ReactNode; hint?: string }[];
}

/** Segmented chooses one of two to four modes; a radio group to assistive technology. */
export function Segmented<V extends string>({ label, value, onChange, choices }: SegmentedProps<V>) {
  const name = useId();
  return (
    <div className={styles.group} role="radiogroup" aria-label={label}>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.choice}>
          <input
            type="radio"
            name={name}
            title={choice.hint}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span className={styles.face}>
            {choice.icon}
            {choice.label}
          </span>
        </label>
      ))}
    </div>
  );
}
