import { Download } from 'lucide-react';
import { useT } from '../../i18n';
import { buttonClass } from '../ui';
import type { PreviewedFile } from './previewed';

/** DownloadLink is the way out for a file that cannot be shown, where the page around has none. */
export function DownloadLink({ file }: { file: PreviewedFile }) {
  const t = useT();
  if (file.offered) return null;
  return (
    <a className={buttonClass()} href={file.downloadUrl} download={file.filename} rel="noreferrer">
      <Download size={18} />
      {t('preview.download')}
    </a>
  );
}
