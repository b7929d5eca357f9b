import { FileQuestion } from 'lucide-react';
import { useT } from '../../i18n';
import { DownloadLink } from './DownloadLink';
import { extensionOf } from './kind';
import { sortOf } from './sorts';
import styles from './preview.module.css';
import type { PreviewedFile } from './previewed';

/** Unshown stands for a file that cannot be shown here: what it is, what opens it, and the file itself. */
export function Unshown({ file, text }: { file: PreviewedFile; text: string }) {
  const t = useT();
  const extension = extensionOf(file.filename);
  const sort = sortOf(file);
  return (
    <div className={styles.notice}>
      <FileQuestion size={28} />
      <p>
        <strong>{t(`viewers.sorts.${sort}.name`)}</strong>
      </p>
      <p>{text}</p>
      <DownloadLink file={file} />
      <details>
        <summary>{t('preview.details')}</summary>
        <dl>
          <dt>{t('viewers.fileName')}</dt>
          <dd dir="auto">{file.filename}</dd>
          <dt>{t('preview.mime')}</dt>
          <dd>{file.mimetype || t('common.unknown')}</dd>
          <dt>{t('preview.extension')}</dt>
          <dd>{extension ? `.${extension}` : t('preview.noExtension')}</dd>
          <dt>{t('viewers.opensWith')}</dt>
          <dd>{t(`viewers.sorts.${sort}.apps`)}</dd>
        </dl>
      </details>
    </div>
  );
}

/** OtherFile is the card of a file that no viewer here knows. */
export default function OtherFile({ file }: { file: PreviewedFile }) {
  const t = useT();
  return <Unshown file={file} text={t('viewers.other')} />;
}
