import { Suspense, useId, useState } from 'react';
import type { FileUpdate, PublicFile } from '../../api/types';
import { useT } from '../../i18n';
import { Button, Dialog, SelectField, TextField, toast } from '../ui';
import { lazyPart } from '../lazyPart';
import styles from './EditFile.module.css';
import { TermsForm } from './TermsForm';
import { useFileEdit, type EditableFile } from './useFileEdit';

const FormerFiles = lazyPart(() => import('../revisions/FormerFiles'), 'revisions');

interface EditFileProps {
  file: EditableFile;
  hasPassword: boolean;
  /** title stands in place of the plain one and tells which file it is. */
  title?: string;
  /** onSaved is told what has changed, and the new password where one was set ("" where it was removed). */
  onSaved: (change: Partial<PublicFile>, password: string | undefined) => void;
  /** onRestored is told that another file is behind the link, an earlier one; without it none are offered, as of a share just made. */
  onRestored?: () => void;
  onClose: () => void;
}

/** EditFile is the dialog in which a file share is changed by who it belongs to. */
export default function EditFile({ file, hasPassword, title, onSaved, onRestored, onClose }: EditFileProps) {
  const t = useT();
  const id = useId();
  const [former, setFormer] = useState(false);
  const edit = useFileEdit(file, {
    hasPassword,
    onSaved: (body) => {
      toast.success(t('shareEdit.saved'));
      onSaved(shown(body), body.password ?? undefined);
    },
    onClose,
  });

  return (
    <Dialog
      title={title ?? t('shareEdit.fileTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={id} busy={edit.saving}>
            {t('shareEdit.save')}
          </Button>
        </>
      }
    >
      <form id={id} className={styles.edit} onSubmit={(event) => void edit.save(event)} noValidate>
        {title === undefined && <TextField label={t('shareEdit.name')} value={file.filename} readOnly />}
        <TermsForm {...edit.form} withSlug />
        <SelectField
          label={t('shareEdit.access')}
          value={edit.proxy ? 'proxy' : 'direct'}
          choices={[
            { value: 'proxy', label: t('shareEdit.proxied') },
            { value: 'direct', label: t('shareEdit.direct') },
          ]}
          onChange={(event) => edit.setProxy(event.target.value === 'proxy')}
        />
        {onRestored && (
          <details onToggle={(event) => setFormer(event.currentTarget.open)}>
            <summary>{t('shareEdit.former')}</summary>
            {former && (
              <Suspense fallback={null}>
                <FormerFiles id={file.id} onRestored={onRestored} />
              </Suspense>
            )}
          </details>
        )}
        <p className={styles.problem} role="alert">
          {edit.problem}
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
