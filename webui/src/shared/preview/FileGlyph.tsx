import { File, FileArchive, FileCode, FileImage, FileMusic, FileText, FileVideoCamera } from 'lucide-react';
import { extensionOf, previewKind, type KindOf, type PreviewKind } from './kind';
import styles from './preview.module.css';

const glyphs: Record<PreviewKind, typeof File> = {
  image: FileImage,
  video: FileVideoCamera,
  audio: FileMusic,
  pdf: FileText,
  office: FileText,
  markdown: FileText,
  html: FileCode,
  code: FileCode,
  text: FileText,
  other: File,
};

const archives = /^(?:zip|tar|gz|tgz|bz2|xz|zst|7z|rar|jar)$/;

/** FileGlyph is the sign of a file's kind, with its extension, so that colour is not the only sign. */
export function FileGlyph({ file }: { file: KindOf }) {
  const kind = previewKind(file);
  const extension = extensionOf(file.filename);
  const archive = archives.test(extension);
  const Glyph = archive ? FileArchive : glyphs[kind];
  return (
    <span className={styles.glyph} data-kind={archive ? 'archive' : kind} aria-hidden="true">
      <Glyph size={24} />
      <span>{extension.slice(0, 5) || '·'}</span>
    </span>
  );
}
