import { useState, type BaseSyntheticEvent, type ReactNode } from 'react';
import { Form } from 'react-admin';
import { useFormState, type FieldValues } from 'react-hook-form';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import { FormProblems } from '../../shared/ui/FormProblems';
import { FieldsContext, valuesOf, type Fields } from './fields';
import styles from './form.module.css';
import { Section } from './PanelForm';
import { useLeaveGuard } from './useLeaveGuard';

interface AskFormProps<R> {
  fields: Fields<R>;
  /** ask does what the form is for; what it throws is shown. */
  ask: (values: FieldValues) => Promise<unknown>;
  /** problemOf says why that did not work, where it is not in the words of the error. */
  problemOf?: (error: unknown) => string;
  /** title makes it a section of the page. */
  title?: string;
  label: string;
  primary?: boolean;
  /** other is a second thing that the same fields are for; with `danger` it takes something away. */
  other?: { label: string; danger?: boolean; ask: (values: FieldValues) => Promise<unknown> };
  /** guarded asks before what was typed is left. */
  guarded?: boolean;
  children: ReactNode;
}

/** AskForm is a form of which no record is made: it begins empty and is checked when it is sent. */
export function AskForm<R extends object>({ fields, ask, title, children, ...foot }: AskFormProps<R>) {
  const t = useT();
  const [began] = useState(() => valuesOf(fields));
  const [problem, setProblem] = useState('');
  // The button that was pressed, which alone shows that it is at work.
  const [pressed, setPressed] = useState('');
  async function send(values: FieldValues, event?: BaseSyntheticEvent) {
    const { submitter } = (event?.nativeEvent ?? {}) as Partial<SubmitEvent>;
    const button = submitter?.getAttribute('value') ?? '';
    setPressed(button);
    setProblem('');
    try {
      await (button === 'other' && foot.other ? foot.other.ask(values) : ask(values));
      return undefined;
    } catch (error) {
      setProblem(foot.problemOf?.(error) ?? errorText(error, t));
      return { root: 'refused' };
    }
  }
  return (
    <Form
      record={began}
      mode="onSubmit"
      reValidateMode="onChange"
      noValidate
      sanitizeEmptyValues={false}
      disableInvalidFormNotification
      onSubmit={send}
    >
      <FieldsContext value={fields as Fields<never>}>
        <div className={styles.form}>
          <Wrong />
          <Whole {...(title !== undefined && { title })}>
            {children}
            <Foot {...foot} problem={problem} pressed={pressed} />
          </Whole>
        </div>
      </FieldsContext>
    </Form>
  );
}

/** Wrong leads to what is wrong each time the form is sent. */
const Wrong = () => <FormProblems asked={useFormState().submitCount} />;

const Whole = ({ title, children }: { title?: string; children: ReactNode }) =>
  title === undefined ? (
    <div className={styles.groups}>{children}</div>
  ) : (
    <Section title={title}>{children}</Section>
  );

type FootProps = Pick<AskFormProps<never>, 'label' | 'primary' | 'guarded' | 'other'> & {
  problem: string;
  pressed: string;
};

function Foot({ label, primary = false, guarded = false, other, problem, pressed }: FootProps) {
  const { dirtyFields, isSubmitting } = useFormState();
  useLeaveGuard(guarded && Object.keys(dirtyFields).length > 0 && !isSubmitting);
  return (
    <>
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <div className={styles.row}>
        <Button
          type="submit"
          busy={isSubmitting && pressed !== 'other'}
          disabled={isSubmitting && pressed === 'other'}
          {...(primary && { variant: 'primary' })}
        >
          {label}
        </Button>
        {other && (
          <Button
            type="submit"
            variant={other.danger ? 'danger' : 'plain'}
            value="other"
            busy={isSubmitting && pressed === 'other'}
            disabled={isSubmitting && pressed !== 'other'}
          >
            {other.label}
          </Button>
        )}
      </div>
    </>
  );
}
