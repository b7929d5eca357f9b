import type { HTMLInputTypeAttribute, ReactNode } from 'react';
import { useInput, type Validator } from 'react-admin';
import { Field, inputClass, SelectField, TextField } from '../../shared/ui';
import { PasswordField } from '../../shared/ui/PasswordField';
import styles from './form.module.css';
import { units } from './size';

interface InputProps {
  source: string;
  label: string;
  hint?: ReactNode;
  optional?: boolean;
  validate?: Validator | Validator[];
  /** onEdit is told what a person types, not what a preset fills in. */
  onEdit?: (value: string) => void;
}

// React-admin wraps what a validation says.
const wrapped = '@@react-admin@@';
function problemOf(message: string): string {
  if (!message.startsWith(wrapped)) return message;
  return String(JSON.parse(message.slice(wrapped.length)));
}

const shown = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

/** useControl ties a control of the app to a field of react-admin's form: what is said of it, and what it holds. */
function useControl({ source, validate, label, hint, optional, onEdit }: InputProps) {
  const { field, fieldState } = useInput({ source, validate });
  const message = fieldState.error?.message;
  return {
    words: { label, hint, optional, error: message ? problemOf(message) : undefined },
    control: {
      name: field.name,
      value: shown(field.value),
      onChange: (event: { target: { value: string } }) => {
        field.onChange(event.target.value);
        onEdit?.(event.target.value);
      },
      onBlur: field.onBlur,
    },
  };
}

interface TextProps extends InputProps {
  type?: HTMLInputTypeAttribute;
  inputMode?: 'numeric' | 'url' | 'text';
  placeholder?: string;
  readOnly?: boolean;
  autoComplete?: string;
  after?: ReactNode;
}

export function TextInput({ source, validate, label, hint, optional, onEdit, ...rest }: TextProps) {
  const { words, control } = useControl({ source, validate, label, hint, optional, onEdit });
  return <TextField {...rest} {...words} {...control} autoCapitalize="none" spellCheck={false} />;
}

export function SecretInput({ autoComplete = 'off', ...props }: TextProps) {
  const { words, control } = useControl(props);
  return <PasswordField {...words} {...control} autoComplete={autoComplete} />;
}

/** AnyInputProps is what inputs take besides their name and label. */
export type AnyInputProps = Partial<Omit<TextProps & AreaProps & ChoiceProps, 'source' | 'label'>> & {
  unitLabel?: string;
};

interface ChoiceProps extends InputProps {
  choices: readonly { value: string; label: string }[];
}

export function SelectInput({ choices, ...props }: ChoiceProps) {
  const { words, control } = useControl(props);
  return <SelectField {...words} {...control} choices={choices} />;
}

interface AreaProps extends InputProps {
  rows?: number;
  mono?: boolean;
  placeholder?: string;
}

export function AreaInput({ rows = 4, mono = false, placeholder, ...props }: AreaProps) {
  const { words, control } = useControl(props);
  return (
    <Field {...words}>
      {(described) => (
        <textarea
          {...described}
          {...control}
          rows={rows}
          placeholder={placeholder}
          className={`${inputClass} ${styles.area} ${mono ? styles.mono : ''}`}
          spellCheck={!mono}
          autoComplete="off"
        />
      )}
    </Field>
  );
}

/** SwitchInput is on or off, and says which in words. */
export function SwitchInput({ source, label, hint, onEdit }: InputProps) {
  const { field } = useInput({ source });
  const on = field.value === true || field.value === 1 || field.value === 'true';
  return (
    <Toggle
      label={label}
      hint={hint}
      on={on}
      onChange={(next) => {
        field.onChange(next);
        onEdit?.(String(next));
      }}
    />
  );
}

interface ToggleProps {
  label: string;
  hint?: ReactNode;
  on: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}

export function Toggle({ label, hint, on, disabled = false, onChange }: ToggleProps) {
  return (
    <div className={styles.toggle}>
      <label>
        <input
          type="checkbox"
          role="switch"
          checked={on}
          disabled={disabled}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && <p className={styles.hint}>{hint}</p>}
    </div>
  );
}

/** SizeInput edits bytes as a number and a unit; the two stand in `${source}.amount` and `${source}.unit`. */
export function SizeInput({ source, label, unitLabel, hint, validate }: InputProps & { unitLabel: string }) {
  return (
    <div className={styles.size}>
      <TextInput
        source={`${source}.amount`}
        label={label}
        hint={hint}
        inputMode="numeric"
        validate={validate}
      />
      <SelectInput
        source={`${source}.unit`}
        label={unitLabel}
        choices={units.map(([name]) => ({ value: name, label: name }))}
      />
    </div>
  );
}
