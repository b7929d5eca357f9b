import { useT } from '../../i18n';
import { Button } from '../ui';
import { DownloadLink } from './DownloadLink';
import styles from './preview.module.css';
import type { PreviewedFile } from './previewed';

interface LoadFailedProps {
  file: PreviewedFile;
  text: string;
  onRetry: () => void;
}

/** LoadFailed says that a preview did not come, and offers what is left: another try, and the file itself. */
export function LoadFailed({ file, text, onRetry }: LoadFailedProps) {
  const t = useT();
  return (
    <div className={styles.notice} role="alert">
      <p>{text}</p>
      <div className={styles.buttons}>
        <Button onClick={onRetry}>{t('common.retry')}</Button>
        <DownloadLink file={file} />
      </div>
    </div>
  );
}
