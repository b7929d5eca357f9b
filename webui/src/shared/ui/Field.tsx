import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react';
import { useT } from '../../i18n';
import styles from './Field.module.css';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** optional marks the field as one that may stay empty. */
  optional?: boolean;
  className?: string;
  /** aside stands beside the label, for instance a button that fills the field in. */
  aside?: ReactNode;
  /** children makes the control; it must put these attributes on the element that takes the focus. */
  children: (control: ControlProps) => ReactNode;
}

interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** Field is a control with a visible label, help under it, and its error tied to it. */
export function Field({ label, hint, error, optional = false, className = '', aside, children }: FieldProps) {
  const t = useT();
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={`${styles.field} ${className}`}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {optional && <span className={styles.optional}> ({t('common.optional')})</span>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {error && (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {aside && <div className={styles.aside}>{aside}</div>}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, 'children'> &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'children'> & { after?: ReactNode };

/** TextField is a one-line input; `after` stands at its end, for instance a button. */
export function TextField({
  label,
  hint,
  error,
  optional,
  className,
  aside,
  after,
  ...input
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional} className={className} aside={aside}>
      {(control) => (
        <div className={styles.row}>
          <input dir="auto" {...input} {...control} className={styles.input} />
          {after}
        </div>
      )}
    </Field>
  );
}

type SelectFieldProps = Omit<FieldProps, 'children'> &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'children'> & {
    choices: readonly { value: string; label: string }[];
  };

export function SelectField({
  label,
  hint,
  error,
  optional,
  className,
  choices,
  ...select
}: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional} className={className}>
      {(control) => (
        <select {...select} {...control} className={styles.input}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** inputClass gives other controls, for instance a textarea, the look of an input. */
export const inputClass = styles.input;
