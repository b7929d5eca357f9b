import { QrCode } from 'lucide-react';
import { useState } from 'react';
import type { Key } from '../../api/admin/keys';
import { useT } from '../../i18n';
import { Button, CopyButton, Dialog, QrDialog, TextField } from '../../shared/ui';
import styles from '../share/share.module.css';

/** KeyOnce shows a key's value, which nobody can see again later. */
export function KeyOnce({ made, onClose }: { made: Key; onClose: () => void }) {
  const t = useT();
  const [qr, setQr] = useState(false);
  return (
    <Dialog
      role="alertdialog"
      title={t('admin.keys.once.title', { name: made.name })}
      onClose={() => undefined}
      footer={
        <>
          <Button icon={<QrCode size={18} aria-hidden="true" />} onClick={() => setQr(true)}>
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
          className={styles.link ?? ''}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      {qr && <QrDialog link={made.key} onClose={() => setQr(false)} />}
    </Dialog>
  );
}
