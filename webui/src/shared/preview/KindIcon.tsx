import { File, FileArchive, FileCode, FileImage, FileMusic, FileText, FileVideoCamera } from 'lucide-react';
import type { Translate } from '../../i18n';
import { extensionOf, previewKind, type KindOf, type PreviewKind } from './kind';

const icons: Record<PreviewKind, typeof File> = {
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

/** signOf is the kind a file's sign stands for: how it is previewed, or that it is an archive. */
export function signOf(file: KindOf): PreviewKind | 'archive' {
  return archives.test(extensionOf(file.filename)) ? 'archive' : previewKind(file);
}

/** kindName says what a file is, with its ending: "Image (PNG)". */
export function kindName(file: KindOf, t: Translate): string {
  const kind = t(`common.kinds.${signOf(file)}`);
  const ending = extensionOf(file.filename);
  return ending.length > 0 && ending.length <= 5 ? `${kind} (${ending.toUpperCase()})` : kind;
}

/** KindIcon is the icon of a file's kind; its name says the rest. */
export function KindIcon({ file, size }: { file: KindOf; size: number }) {
  const sign = signOf(file);
  const Icon = sign === 'archive' ? FileArchive : icons[sign];
  return <Icon size={size} data-kind={sign} />;
}
