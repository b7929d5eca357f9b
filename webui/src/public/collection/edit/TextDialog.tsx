import { useId, useState, type FormEvent } from 'react';
import { useT } from '../../../i18n';
import { Button, Dialog, Field, inputClass } from '../../../shared/ui';
import styles from './edit.module.css';

interface TextDialogProps {
  /** replaces says that there is a README, whose place it takes. */
  replaces: boolean;
  onText: (file: File) => void;
  onClose: () => void;
}

/** TextDialog writes the text that is shown first to those who open the link. */
export function TextDialog({ replaces, onText, onClose }: TextDialogProps) {
  const t = useT();
  const id = useId();
  const [text, setText] = useState('');

  function submit(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    if (!text.trim()) return;
    onText(new File([text], 'README.md', { type: 'text/markdown' }));
    onClose();
  }
  return (
    <Dialog
      wide
      title={t(replaces ? 'collectionEdit.newText' : 'collectionEdit.text')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={id} disabled={!text.trim()}>
            {t('collectionEdit.add', 1)}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit}>
        <Field
          label={t('collectionEdit.textLabel')}
          hint={t(replaces ? 'collectionEdit.replaces' : 'collectionEdit.textHint')}
        >
          {(field) => (
            <textarea
              {...field}
              className={`${inputClass} ${styles.text}`}
              dir="auto"
              value={text}
              rows={12}
              autoFocus
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
