import { useState } from 'react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../format';
import { lazyPart } from '../lazyPart';
import { LazyMarkdownDocument } from '../markdown/LazyMarkdownDocument';
import { Button } from '../ui';
import { isArchive, tarKind } from './archives';
import { isText, previewKind, type KindOf } from './kind';
import { ImagePreview } from './ImagePreview';
import styles from './preview.module.css';
import { Settled, type FilePreviewProps } from './Settled';
import { Suspended } from './Suspended';

const TextPreview = lazyPart(() => import('./TextPreview'));
const OfficePreview = lazyPart(() => import('./office/OfficePreview'), 'viewers');
const MediaPlayer = lazyPart(() => import('./MediaPlayer'), 'viewers');
const AudioPlayer = lazyPart(() => import('./AudioPlayer'), 'viewers');
const PdfPages = lazyPart(() => import('./pdf/PdfPages'), 'viewers');
const ArchiveList = lazyPart(() => import('./ArchiveList'), 'viewers');
const OtherFile = lazyPart(() => import('./Unshown'), 'viewers');

/** Bytes above which nothing is loaded before the visitor asks for it. */
const askFrom = 20 << 20;

/** FilePreview shows a file in the way that fits its kind. */
export function FilePreview(props: FilePreviewProps) {
  const t = useT();
  const language = useLanguage();
  const [wanted, setWanted] = useState(false);
  const { file, onSettled } = props;
  const kind = previewKind(file);

  // Players fetch only what is played, most archives only their list; texts and documents ask for themselves.
  const wholeAtOnce = kind === 'image' || kind === 'pdf' || tarKind(file.filename) === 'packed';
  if (wholeAtOnce && file.size > askFrom && !wanted) {
    return (
      <div className={styles.notice}>
        <Settled onSettled={onSettled} />
        <p>{t('preview.large', { size: formatSize(file.size, language) })}</p>
        <Button onClick={() => setWanted(true)}>{t('preview.showAnyway')}</Button>
      </div>
    );
  }
  if (kind === 'image') return <ImagePreview {...props} />;
  if (kind === 'pdf' && navigator.pdfViewerEnabled) return <Pdf {...props} />;
  return (
    <Suspended height={kind === 'audio' ? 132 : 320} className={placeOf(kind)}>
      <Heavy {...props} />
    </Suspended>
  );
}

/** placeOf keeps the place of a preview whose size does not depend on the file. */
function placeOf(kind: ReturnType<typeof previewKind>): string | undefined {
  if (kind === 'video') return styles.videoPlace;
  return kind === 'pdf' ? styles.pdfPlace : undefined;
}

/** Heavy are the previews that come with code of their own. */
function Heavy(props: FilePreviewProps) {
  const { file, onSettled } = props;
  const kind = previewKind(file);
  if (isText(kind)) return <TextPreview {...props} kind={kind} />;
  if (kind === 'video') return <MediaPlayer {...props} />;
  if (kind === 'audio') return <AudioPlayer {...props} />;
  if (kind === 'office') return <OfficePreview {...props} />;
  if (kind === 'pdf') return <PdfPages {...props} />;
  if (isArchive(file)) return <ArchiveList {...props} />;
  return (
    <>
      <Settled onSettled={onSettled} />
      <OtherFile file={file} />
    </>
  );
}

/** isTextFile reports whether a file is shown as characters, which have a bar of tools. */
export const isTextFile = (file: KindOf): boolean => isText(previewKind(file));

/** prepare fetches what shows a file of this name while the file itself is still asked for. */
export function prepare(file: KindOf): void {
  const kind = previewKind(file);
  if (kind === 'markdown') void LazyMarkdownDocument.prepare();
  if (isText(kind)) void TextPreview.prepare();
  else if (kind === 'video') void MediaPlayer.prepare();
  else if (kind === 'audio') void AudioPlayer.prepare();
  else if (kind === 'office') void OfficePreview.prepare();
  else if (kind === 'pdf' && !navigator.pdfViewerEnabled) void PdfPages.prepare();
  else if (isArchive(file)) void ArchiveList.prepare();
}

/** settlesLater reports whether the preview of a file gets its size only with its content or its code. */
export function settlesLater(file: KindOf): boolean {
  return previewKind(file) !== 'pdf' || !navigator.pdfViewerEnabled;
}

function Pdf({ file, onSettled }: FilePreviewProps) {
  return (
    <>
      <Settled onSettled={onSettled} />
      <iframe className={styles.pdf} src={file.readUrl} title={file.filename} referrerPolicy="no-referrer" />
    </>
  );
}
