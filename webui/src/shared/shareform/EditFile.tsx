import { useId, useState, type FormEvent } from 'react';
import { ApiError } from '../../api/client';
import { updateFile } from '../../api/files';
import type { FileUpdate, PublicFile } from '../../api/types';
import { useT } from '../../i18n';
import { errorText } from '../errorText';
import { Button, Dialog, SelectField, TextField, toast } from '../ui';
import styles from './EditFile.module.css';
import { TermsForm } from './TermsForm';
import { useTerms } from './useTerms';

/** What of a file share can be changed, and what it is called. */
export type EditableFile = Pick<
  PublicFile,
  'id' | 'slug' | 'filename' | 'remark' | 'expires_at' | 'max_views' | 'use_proxy'
>;

interface EditFileProps {
  file: EditableFile;
  hasPassword: boolean;
  /** onSaved is told what has changed, and the new password where one was set ("" where it was removed). */
  onSaved: (change: Partial<PublicFile>, password: string | undefined) => void;
  onClose: () => void;
}

/** EditFile changes what a file share has; each field starts as "keep" and only changes are sent. */
export default function EditFile({ file, hasPassword, onSaved, onClose }: EditFileProps) {
  const t = useT();
  const id = useId();
  const terms = useTerms({
    slug: file.slug,
    remark: file.remark ?? '',
    expiresAt: file.expires_at,
    maxViews: file.max_views ?? 0,
    hasPassword,
  });
  const [proxy, setProxy] = useState(file.use_proxy === 1);
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState('');

  async function save(event: FormEvent) {
    event.preventDefault();
    if (saving || !terms.check()) return;
    const changes = terms.changes();
    const body: FileUpdate = {
      ...(changes.slug !== undefined && { slug: changes.slug }),
      ...(changes.remark !== undefined && { remark: changes.remark }),
      ...(changes.expiresAt !== undefined && { expires_at: changes.expiresAt?.toISOString() ?? null }),
      ...(changes.maxViews !== undefined && { max_views: changes.maxViews }),
      ...(changes.password !== undefined && { password: changes.password }),
      ...(proxy !== (file.use_proxy === 1) && { use_proxy: proxy }),
    };
    if (Object.keys(body).length === 0) {
      onClose();
      return;
    }
    setSaving(true);
    setProblem('');
    try {
      await updateFile(file.id, body);
      toast.success(t('shareEdit.saved'));
      onSaved(shown(body), changes.password);
    } catch (error) {
      refused(error);
    } finally {
      setSaving(false);
    }
  }

  function refused(error: unknown) {
    const code = error instanceof ApiError ? error.code : '';
    const field = { slug_reserved: 'slugReserved', slug_invalid: 'slugRule', slug_taken: 'slugTaken' }[code];
    if (field) terms.refuse('slug', `share.errors.${field}`);
    else setProblem(errorText(error, t));
  }

  return (
    <Dialog
      title={t('shareEdit.fileTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={id} busy={saving}>
            {t('shareEdit.save')}
          </Button>
        </>
      }
    >
      <form id={id} className={styles.edit} onSubmit={(event) => void save(event)} noValidate>
        <TextField label={t('shareEdit.name')} value={file.filename} readOnly />
        <TermsForm {...terms.form} withSlug />
        <SelectField
          label={t('shareEdit.access')}
          value={proxy ? 'proxy' : 'direct'}
          choices={[
            { value: 'proxy', label: t('shareEdit.proxied') },
            { value: 'direct', label: t('shareEdit.direct') },
          ]}
          onChange={(event) => setProxy(event.target.value === 'proxy')}
        />
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      </form>
    </Dialog>
  );
}

/** shown is what the page shows after a save, without asking the server again, which would take a view. */
function shown(body: FileUpdate): Partial<PublicFile> {
  return {
    ...(body.slug !== undefined && { slug: body.slug }),
    ...(body.remark !== undefined && { remark: body.remark }),
    ...(body.expires_at !== undefined && { expires_at: body.expires_at }),
    ...(body.max_views !== undefined && { max_views: body.max_views, views: 0, isLastView: false }),
    ...(body.use_proxy !== undefined && { use_proxy: body.use_proxy ? 1 : 0 }),
  };
}
