import { useId, useState, type FormEvent } from 'react';
import { ApiError } from '../../api/client';
import { updateFile } from '../../api/files';
import type { FileRow, FileUpdate } from '../../api/types';
import { useT } from '../../i18n';
import { errorText } from '../../shared/errorText';
import { TermsForm } from '../../shared/shareform/TermsForm';
import { useTerms } from '../../shared/shareform/useTerms';
import { Button, Dialog, SelectField, toast } from '../../shared/ui';
import styles from '../share/share.module.css';

interface FileEditProps {
  row: FileRow;
  onClose: () => void;
  onSaved: () => void;
}

/** FileEdit changes what a file share has; each field starts as "keep". */
export function FileEdit({ row, onClose, onSaved }: FileEditProps) {
  const t = useT();
  const form = useId();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [proxy, setProxy] = useState(row.use_proxy === 1);
  const terms = useTerms({
    slug: row.slug,
    remark: row.remark ?? '',
    expiresAt: row.expires_at,
    maxViews: row.max_views ?? 0,
    hasPassword: row.has_password,
  });

  async function save(event: FormEvent) {
    event.preventDefault();
    if (busy || !terms.check()) return;
    const changes = terms.changes();
    const body: FileUpdate = {
      ...(changes.slug !== undefined && { slug: changes.slug }),
      ...(changes.remark !== undefined && { remark: changes.remark }),
      ...(changes.expiresAt !== undefined && { expires_at: changes.expiresAt?.toISOString() ?? null }),
      ...(changes.maxViews !== undefined && { max_views: changes.maxViews }),
      ...(changes.password !== undefined && { password: changes.password }),
      ...(proxy !== (row.use_proxy === 1) && { use_proxy: proxy }),
    };
    if (Object.keys(body).length === 0) {
      onClose();
      return;
    }
    setBusy(true);
    setProblem('');
    try {
      await updateFile(row.id, body);
      toast.success(t('admin.form.saved'));
      onSaved();
    } catch (error) {
      const code = error instanceof ApiError ? error.code : '';
      const field = { slug_reserved: 'slugReserved', slug_invalid: 'slugRule', slug_taken: 'slugTaken' }[
        code
      ];
      if (field) terms.refuse('slug', `share.errors.${field}`);
      else setProblem(errorText(error, t));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      title={t('admin.files.edit', { name: row.filename })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={form} busy={busy}>
            {t('admin.form.save')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.stack} onSubmit={(event) => void save(event)} noValidate>
        <TermsForm {...terms.form} withSlug />
        <SelectField
          label={t('admin.files.access')}
          value={proxy ? 'proxy' : 'direct'}
          choices={[
            { value: 'proxy', label: t('admin.files.proxied') },
            { value: 'direct', label: t('admin.files.direct') },
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
