import { useState, type ReactNode } from 'react';
import { Form } from 'react-admin';
import { useFormContext, useFormState, type FieldValues } from 'react-hook-form';
import { ApiError } from '../../api/client';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import { FormProblems } from '../../shared/ui/FormProblems';
import { FieldsContext, type Fields } from './fields';
import styles from './form.module.css';
import { useLeaveGuard } from './useLeaveGuard';

interface PanelFormProps<R> {
  fields: Fields<R>;
  record: FieldValues;
  /**
   * save sends the values. What it throws is shown, and the form stays as it is; so it does, without a word, where the
   * answer is false: whoever saves has changed their mind.
   */
  save: (values: FieldValues) => Promise<unknown>;
  saveLabel?: string;
  /** fieldOf names the field that a refusal of the server is about. */
  fieldOf?: (error: ApiError) => string | undefined;
  /** onCancel leads back; without it the form offers to go back to what is saved. */
  onCancel?: () => void;
  /** always lets a form be sent that nobody has changed, such as that of a new thing. */
  always?: boolean;
  tools?: ReactNode;
  children: ReactNode;
}

/** PanelForm is a form of the panel: checked on leaving a field and on saving, guarded against leaving it unsaved. */
export function PanelForm<R>({ fields, record, save, children, ...bar }: PanelFormProps<R>) {
  const [problem, setProblem] = useState<{ error?: unknown }>({});
  return (
    <Form
      record={record}
      mode="onTouched"
      reValidateMode="onChange"
      noValidate
      sanitizeEmptyValues={false}
      disableInvalidFormNotification
      onSubmit={async (values: FieldValues) => {
        setProblem({});
        try {
          if ((await save(values)) === false) return { root: 'kept' };
        } catch (error) {
          const field = error instanceof ApiError ? bar.fieldOf?.(error) : undefined;
          setProblem({ error });
          if (field && error instanceof ApiError) return { [field]: error.message || error.code };
          return { root: 'refused' };
        }
        return undefined;
      }}
    >
      <div className={styles.form}>
        <FieldsContext value={fields as Fields<never>}>
          <div className={styles.sections}>{children}</div>
        </FieldsContext>
        <Bar {...bar} problem={problem} />
      </div>
    </Form>
  );
}

type BarProps = Pick<PanelFormProps<never>, 'saveLabel' | 'onCancel' | 'always' | 'tools'> & {
  problem: { error?: unknown };
};

function Bar({ saveLabel, onCancel, always = false, tools, problem }: BarProps) {
  const t = useT();
  const { reset } = useFormContext();
  const { dirtyFields, isSubmitting, isSubmitSuccessful, errors, submitCount } = useFormState();
  const dirty = Object.keys(dirtyFields).length > 0;
  const wrong = Object.keys(errors).some((name) => name !== 'root');
  // A form with a way back is done once it is saved; one that stays may hold what was refused.
  const done = isSubmitSuccessful && onCancel !== undefined;
  useLeaveGuard(dirty && !isSubmitting && !done);
  return (
    <>
      <FormProblems asked={submitCount} />
      <div className={styles.bar}>
        <div role="alert" className={styles.problem}>
          {problem.error !== undefined && errorText(problem.error, t)}
          {problem.error === undefined && submitCount > 0 && wrong && t('admin.form.problems')}
        </div>
        <Button variant="primary" type="submit" busy={isSubmitting} aria-disabled={!always && !dirty}>
          {saveLabel ?? t('admin.form.save')}
        </Button>
        {onCancel ? (
          <Button onClick={onCancel}>{t('admin.form.cancel')}</Button>
        ) : (
          <Button aria-disabled={!dirty} onClick={() => reset()}>
            {t('admin.form.reset')}
          </Button>
        )}
        {tools}
        {dirty && !done && <span className={styles.dirty}>{t('admin.form.unsaved')}</span>}
      </div>
    </>
  );
}

/** Section groups fields under a heading, which the first one of a page does not need: its name is that of the page. */
export function Section({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}

export const pairClass = styles.pair;
