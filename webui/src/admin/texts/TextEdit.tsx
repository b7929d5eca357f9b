import { useId, useState, type FormEvent } from 'react';
import { useUpdate } from 'react-admin';
import { ApiError, isQueued } from '../../api/client';
import { errorText } from '../../api/errorText';
import type { PasteDetail, PasteRow, PasteUpdate } from '../../api/types';
import { useT } from '../../i18n';
import { tellQueued } from '../../shared/offline/tellError';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { FormProblems } from '../../shared/ui/FormProblems';
import { TermsForm } from '../../shared/shareform/TermsForm';
import { useTerms } from '../../shared/shareform/useTerms';
import { Button, Dialog, Field, inputClass, Skeleton, toast } from '../../shared/ui';
import { useFreshRecord } from '../data/records';
import styles from '../share/share.module.css';

const resource = 'text-management';

interface TextEditProps {
  row: PasteRow;
  onClose: () => void;
  onSaved: () => void;
}

/** TextEdit changes what a text share has; each field starts as "keep" (§7.4). */
export function TextEdit({ row, onClose, onSaved }: TextEditProps) {
  const t = useT();
  const form = useId();
  const [busy, setBusy] = useState(false);
  const { data: paste, error, retry } = useFreshRecord<PasteDetail>(resource, row.id);
  return (
    <Dialog
      wide
      title={t('admin.texts.edit', { name: row.slug })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={form} busy={busy} aria-disabled={!paste}>
            {t('admin.form.save')}
          </Button>
        </>
      }
    >
      {error && <ErrorPanel error={error} onRetry={retry} />}
      {!paste && !error && <Skeleton lines={6} />}
      {paste && <Form id={form} paste={paste} onBusy={setBusy} onSaved={onSaved} />}
    </Dialog>
  );
}

interface FormProps {
  id: string;
  paste: PasteDetail;
  onBusy: (busy: boolean) => void;
  onSaved: () => void;
}

function Form({ id, paste, onBusy, onSaved }: FormProps) {
  const t = useT();
  const [update] = useUpdate(resource);
  const [content, setContent] = useState(paste.content);
  const [problem, setProblem] = useState('');
  const [empty, setEmpty] = useState(false);
  const [asked, setAsked] = useState(0);
  const terms = useTerms({
    slug: paste.slug,
    remark: paste.remark ?? '',
    expiresAt: paste.expires_at,
    maxViews: paste.max_views ?? 0,
    hasPassword: paste.has_password,
  });

  async function save(event: FormEvent) {
    event.preventDefault();
    const missing = content.trim() === '';
    setEmpty(missing);
    const sound = terms.check();
    // Where the terms are wrong too, they lead to all that is wrong.
    if (missing && sound) setAsked(asked + 1);
    if (missing || !sound) return;
    const changes = terms.changes();
    const body: PasteUpdate = {
      content,
      ...(changes.slug !== undefined && { newSlug: changes.slug }),
      ...(changes.remark !== undefined && { remark: changes.remark }),
      ...(changes.expiresAt !== undefined && { expiresAt: changes.expiresAt?.toISOString() ?? null }),
      ...(changes.maxViews !== undefined && { maxViews: changes.maxViews }),
      ...(changes.password === ''
        ? { clearPassword: true }
        : changes.password && { password: changes.password }),
    };
    onBusy(true);
    setProblem('');
    try {
      await update(resource, { id: paste.id, data: body, previousData: paste }, { returnPromise: true });
      toast.success(t('admin.form.saved'));
      onSaved();
    } catch (error) {
      if (isQueued(error)) {
        tellQueued(t);
        onSaved();
        return;
      }
      const code = error instanceof ApiError ? error.code : '';
      const field = { slug_reserved: 'slugReserved', slug_invalid: 'slugRule', slug_taken: 'slugTaken' }[
        code
      ];
      if (field) terms.refuse('slug', `share.errors.${field}`);
      else if (error instanceof ApiError && error.status === 412) setProblem(t('admin.texts.changed'));
      else setProblem(errorText(error, t));
    } finally {
      onBusy(false);
    }
  }

  return (
    <form id={id} className={styles.stack} onSubmit={(event) => void save(event)} noValidate>
      <TermsForm {...terms.form} withSlug />
      <FormProblems asked={asked} />
      <details open={empty || undefined}>
        <summary>{t('admin.texts.editContent')}</summary>
        <Field label={t('admin.texts.content')} error={empty ? t('shareEdit.paste.empty') : undefined}>
          {(control) => (
            <textarea
              {...control}
              className={`${inputClass} ${styles.area}`}
              value={content}
              spellCheck={false}
              onChange={(event) => {
                setContent(event.target.value);
                setEmpty(false);
              }}
            />
          )}
        </Field>
      </details>
      <p className={styles.problem} role="alert">
        {problem}
      </p>
    </form>
  );
}
