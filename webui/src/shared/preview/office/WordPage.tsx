import { useT } from '../../../i18n';
import { Skeleton } from '../../ui';
import { LoadFailed } from '../LoadFailed';
import type { PreviewedFile } from '../previewed';
import { useWhole } from '../useWhole';
import styles from './office.module.css';
import { longestOwn } from './rules';
import { wordDocument } from './wordDocument';

/** WordPage shows a .docx as a page of its own, in a frame without scripts and without this app's origin. */
export default function WordPage({ file }: { file: PreviewedFile }) {
  const t = useT();
  const { value, failed, retry } = useWhole('word', file, longestOwn, wordDocument);
  if (failed) return <LoadFailed file={file} text={t('viewers.office.unreadable')} onRetry={retry} />;
  if (value === undefined) return <Skeleton height={480} />;
  return (
    <iframe
      className={styles.frame}
      title={file.filename}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      srcDoc={value}
    />
  );
}
