import { useId, useState, type FormEvent } from 'react';
import type { Effect } from '../../api/admin/operations';
import { useT } from '../../i18n';
import { Button, Dialog, TextField } from '../../shared/ui';
import styles from '../ops/ops.module.css';
import { EffectTable } from './EffectTable';

interface SaveDialogProps {
  /** effect is what the rules would have decided otherwise. */
  effect: Effect;
  /** onSave saves; `activate` says that the revision shall be in force, too. */
  onSave: (note: string, activate: boolean) => void;
  onClose: () => void;
}

/** SaveDialog shows what a draft would change and asks for the note of its revision. */
export function SaveDialog({ effect, onSave, onClose }: SaveDialogProps) {
  const t = useT();
  const id = useId();
  const [note, setNote] = useState('');
  return (
    <Dialog
      wide
      title={t('ops.policies.saveTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="submit" form={id}>
            {t('ops.policies.save')}
          </Button>
          <Button variant="primary" onClick={() => onSave(note, true)}>
            {t('ops.policies.saveAndActivate')}
          </Button>
        </>
      }
    >
      <div className={styles.part}>
        <form
          id={id}
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            onSave(note, false);
          }}
        >
          <TextField
            data-autofocus=""
            enterKeyHint="done"
            label={t('ops.policies.note')}
            maxLength={500}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </form>
        <EffectTable effect={effect} />
      </div>
    </Dialog>
  );
}
