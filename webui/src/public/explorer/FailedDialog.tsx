import type { FailedPath } from '../../api/fs';
import { useT } from '../../i18n';
import { Button, Dialog } from '../../shared/ui';
import styles from './explorer.module.css';

/** FailedDialog lists what did not work, and why. */
export default function FailedDialog({
  failed,
  onClose,
}: {
  failed: readonly FailedPath[];
  onClose: () => void;
}) {
  const t = useT();
  return (
    <Dialog
      title={t('explorer.failed.title', failed.length)}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <ul className={styles.failed}>
        {failed.map(({ path, error }) => (
          <li key={path}>
            <strong>{path}</strong>
            <span>{error}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
