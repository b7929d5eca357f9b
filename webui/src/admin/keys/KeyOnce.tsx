import { QrCode } from 'lucide-react';
import { useState } from 'react';
import type { Key } from '../../api/admin/keys';
import { useLanguage, useT } from '../../i18n';
import { Button, CopyButton, Dialog, QrDialog, TextField } from '../../shared/ui';
import styles from '../share/share.module.css';
import { ConnectSettings } from './Connect';
import type { ProgramId } from './programs';
import { sentenceOf } from './scopes';

/** KeyOnce shows a key's value, which nobody can see again later, and what a program needs to use it. */
export function KeyOnce({
  made,
  program,
  onClose,
}: {
  made: Key;
  program?: ProgramId | undefined;
  onClose: () => void;
}) {
  const t = useT();
  const language = useLanguage();
  const [chosen, setChosen] = useState(program);
  const [qr, setQr] = useState(false);
  return (
    <Dialog
      role="alertdialog"
      title={t('admin.keys.once.title', { name: made.name })}
      onClose={() => undefined}
      footer={
        <>
          <Button icon={<QrCode size={18} />} onClick={() => setQr(true)}>
            {t('admin.share.qr')}
          </Button>
          <CopyButton variant="primary" text={made.key} label={t('admin.keys.once.copy')} />
          <Button onClick={onClose}>{t('admin.keys.once.stored')}</Button>
        </>
      }
    >
      <div className={styles.stack}>
        <p>{t('admin.keys.once.body')}</p>
        <TextField
          label={t('admin.keys.once.value')}
          value={made.key}
          readOnly
          className={styles.secret ?? ''}
          onFocus={(event) => event.currentTarget.select()}
        />
        <p>{sentenceOf(made, t, language)}</p>
        <ConnectSettings value={made.key} program={chosen} onChoose={setChosen} />
      </div>
      {qr && <QrDialog link={made.key} onClose={() => setQr(false)} />}
    </Dialog>
  );
}
