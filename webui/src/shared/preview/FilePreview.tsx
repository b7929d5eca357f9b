import { FileQuestion } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../format';
import { Button, Skeleton } from '../ui';
import { extensionOf, isText, previewKind, type KindOf } from './kind';
import { ImagePreview } from './ImagePreview';
import styles from './preview.module.css';

const TextPreview = lazy(() => import('./TextPreview'));

/** Bytes above which nothing is loaded before the visitor asks for it. */
export const askFrom = 20 << 20;

/** PreviewedFile is a file with the addresses of its bytes, which are used as they are. */
export interface PreviewedFile extends KindOf {
  /** bytes */
  size: number;
  /** Shows the file in the page. */
  viewUrl: string;
  /** The same bytes from this server, for reading them by script. */
  readUrl: string;
  downloadUrl: string;
  /** Where a script reads the bytes when that needs headers of its own; readUrl otherwise. */
  script?: { url: string; headers: Record<string, string> };
}

export interface FilePreviewProps {
  file: PreviewedFile;
  /** onSettled is told when the preview has its size, for a kind that has not got it at once. */
  onSettled?: () => void;
}

/** FilePreview shows a file in the way that fits its kind. */
export function FilePreview({ file, onSettled }: FilePreviewProps) {
  const t = useT();
  const language = useLanguage();
  const [wanted, setWanted] = useState(false);
  const kind = previewKind(file);

  // Players fetch only what is played; texts ask for themselves.
  const wholeAtOnce = kind === 'image' || kind === 'pdf';
  if (wholeAtOnce && file.size > askFrom && !wanted) {
    return (
      <div className={styles.notice}>
        <Settled onSettled={onSettled} />
        <p>{t('preview.large', { size: formatSize(file.size, language) })}</p>
        <Button onClick={() => setWanted(true)}>{t('preview.showAnyway')}</Button>
      </div>
    );
  }
  if (isText(kind)) {
    return (
      <Suspense fallback={<Skeleton height={320} />}>
        <TextPreview file={file} kind={kind} onSettled={onSettled} />
      </Suspense>
    );
  }
  switch (kind) {
    case 'image':
      return <ImagePreview file={file} onSettled={onSettled} />;
    case 'video':
    case 'audio':
      return <Player file={file} kind={kind} />;
    case 'pdf':
      return <Pdf file={file} />;
    case 'office':
      return <Unshown file={file} text={t('preview.office')} />;
    case 'other':
      return <Unshown file={file} text={t('preview.other')} />;
  }
}

/** Settled tells when what it stands in has been drawn. */
export function Settled({ onSettled }: Pick<FilePreviewProps, 'onSettled'>) {
  useEffect(() => onSettled?.(), [onSettled]);
  return null;
}

/** settlesLater reports whether the preview of a file gets its size only with its content. */
export function settlesLater(file: KindOf): boolean {
  const kind = previewKind(file);
  return kind === 'image' || isText(kind);
}

function Player({ file, kind }: { file: PreviewedFile; kind: 'video' | 'audio' }) {
  const t = useT();
  const [failed, setFailed] = useState(0);
  const sources = sourcesOf(file);
  const src = sources[failed];
  if (src === undefined) return <Unshown file={file} text={t('preview.media.unsupported')} />;
  const shared = {
    src,
    controls: true,
    preload: 'metadata' as const,
    'aria-label': file.filename,
    onError: () => setFailed(failed + 1),
  };
  return kind === 'video' ? (
    <video {...shared} className={styles.video} playsInline />
  ) : (
    <audio {...shared} className={styles.audio} />
  );
}

function Pdf({ file }: { file: PreviewedFile }) {
  const t = useT();
  if (!navigator.pdfViewerEnabled) return <Unshown file={file} text={t('preview.pdf.none')} />;
  return (
    <iframe className={styles.pdf} src={file.readUrl} title={file.filename} referrerPolicy="no-referrer" />
  );
}

/** sourcesOf lists where the bytes come from: as the owner wants it, then through this server. */
export function sourcesOf(file: PreviewedFile): string[] {
  return [...new Set([file.viewUrl, file.readUrl])];
}

/** Unshown stands for a file that cannot be shown here: what it is, and that it can be downloaded. */
function Unshown({ file, text }: { file: PreviewedFile; text: string }) {
  const t = useT();
  const extension = extensionOf(file.filename);
  return (
    <div className={styles.notice}>
      <FileQuestion size={28} aria-hidden="true" />
      <p>{text}</p>
      <details>
        <summary>{t('preview.details')}</summary>
        <dl>
          <dt>{t('preview.mime')}</dt>
          <dd>{file.mimetype || t('common.unknown')}</dd>
          <dt>{t('preview.extension')}</dt>
          <dd>{extension ? `.${extension}` : t('preview.noExtension')}</dd>
        </dl>
      </details>
    </div>
  );
}
