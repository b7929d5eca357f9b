import { useId } from 'react';
import type { FileRow } from '../../api/types';
import { useT } from '../../i18n';
import { TermsForm } from '../../shared/shareform/TermsForm';
import { useFileEdit } from '../../shared/shareform/useFileEdit';
import { Button, Dialog, SelectField, toast } from '../../shared/ui';
import styles from '../share/share.module.css';

interface FileEditProps {
  row: FileRow;
  onClose: () => void;
  onSaved: () => void;
}

/** FileEdit is the dialog in which the panel changes a file share. */
export function FileEdit({ row, onClose, onSaved }: FileEditProps) {
  const t = useT();
  const form = useId();
  const edit = useFileEdit(row, {
    hasPassword: row.has_password,
    onSaved: () => {
      toast.success(t('admin.form.saved'));
      onSaved();
    },
    onClose,
  });

  return (
    <Dialog
      title={t('admin.files.edit', { name: row.filename })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={form} busy={edit.saving}>
            {t('admin.form.save')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.stack} onSubmit={(event) => void edit.save(event)} noValidate>
        <TermsForm {...edit.form} withSlug />
        <SelectField
          label={t('admin.files.access')}
          value={edit.proxy ? 'proxy' : 'direct'}
          choices={[
            { value: 'proxy', label: t('admin.files.proxied') },
            { value: 'direct', label: t('admin.files.direct') },
          ]}
          onChange={(event) => edit.setProxy(event.target.value === 'proxy')}
        />
        <p className={styles.problem} role="alert">
          {edit.problem}
        </p>
      </form>
    </Dialog>
  );
}
