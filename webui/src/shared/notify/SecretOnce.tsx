import type { MadeChannel } from '../../api/admin/channels';
import { useT } from '../../i18n';
import { Button, CopyButton, Dialog, TextField } from '../ui';
import styles from './notify.module.css';

/** SecretOnce shows the secret of a channel, which nobody can see again later. */
export function SecretOnce({ made, onClose }: { made: MadeChannel; onClose: () => void }) {
  const t = useT();
  return (
    <Dialog
      role="alertdialog"
      title={t('channels.once.title', { name: made.name })}
      onClose={() => undefined}
      footer={
        <>
          <CopyButton variant="primary" text={made.secret} label={t('channels.once.copy')} />
          <Button onClick={onClose}>{t('channels.once.stored')}</Button>
        </>
      }
    >
      <div className={styles.stack}>
        <p>{t('channels.once.body')}</p>
        <TextField
          label={t('channels.once.value')}
          value={made.secret}
          readOnly
          className={styles.link ?? ''}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
    </Dialog>
  );
}
