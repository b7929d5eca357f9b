import type { FileType } from '../../api/types';

/** How a file is shown. "text" is plain; "other" cannot be shown. */
export type PreviewKind =
  'image' | 'video' | 'audio' | 'pdf' | 'office' | 'markdown' | 'html' | 'code' | 'text' | 'other';

/** What previewKind needs to know of a file. */
export interface KindOf {
  filename: string;
  mimetype: string;
  type: FileType;
}

const words = (list: string) => new Set(list.split(' '));

const images = words('jpg jpeg png gif webp avif bmp ico svg');
const videos = words('mp4 webm ogv mov m4v mkv avi flv m3u8 m2ts');
const audios = words('mp3 wav flac aac ogg oga m4a opus');
const offices = words('doc docx xls xlsx ppt pptx odt ods odp rtf');
const markdowns = words('md markdown mdown mkd mdwn mdtxt mdtext rmd');
const htmls = words('html htm xhtml');
const plain = words('txt log csv tsv srt vtt nfo me license readme');

const codes = words(
  'c h cc cpp cxx hpp cs go rs java kt kts scala swift m mm js jsx mjs cjs ts tsx mts vue svelte css scss less ' +
    'py rb php pl lua r jl dart ex exs erl hs clj groovy sql sh bash zsh ps1 bat cmd json json5 jsonc ndjson ' +
    'yaml yml toml ini conf cfg properties env xml xsl plist proto graphql gql dockerfile makefile cmake mk ' +
    'gradle nix tex vim diff patch rss wat vb tf hcl',
);

/** extensionOf is what follows the last dot, in lower case; the whole name of "Makefile"; "" without one. */
export function extensionOf(filename: string): string {
  const name = (filename.split('/').at(-1) ?? '').toLowerCase();
  const dot = name.lastIndexOf('.');
  if (dot > 0) return name.slice(dot + 1);
  const bare = name.replace(/^\./, '');
  return codes.has(bare) || plain.has(bare) ? bare : '';
}

/** isMarkdown says whether a file is Markdown by its name. */
export const isMarkdown = (filename: string): boolean => markdowns.has(extensionOf(filename));

/** extensionChanges says whether a new name turns a file into one of another kind. */
export function extensionChanges(before: string, after: string): boolean {
  const extension = (name: string) => (name.lastIndexOf('.') > 0 ? name.slice(name.lastIndexOf('.')) : '');
  return extension(before).toLowerCase() !== extension(after).toLowerCase();
}

/** previewKind follows the server's type, which the administrator's lists decide; else the name. */
export function previewKind(file: KindOf): PreviewKind {
  const extension = extensionOf(file.filename);
  switch (file.type) {
    case 2:
      return 'video';
    case 3:
      return 'audio';
    case 4:
      return textKind(extension);
    case 5:
      return 'image';
    case 6:
      return 'office';
    case 7:
      return extension === 'pdf' || file.mimetype === 'application/pdf'
        ? 'pdf'
        : textOrOther(extension, file.mimetype);
    default:
      return kindByName(extension, file.mimetype);
  }
}

function kindByName(extension: string, mimetype: string): PreviewKind {
  if (images.has(extension)) return 'image';
  if (videos.has(extension)) return 'video';
  if (audios.has(extension)) return 'audio';
  if (offices.has(extension)) return 'office';
  if (extension === 'pdf') return 'pdf';
  return textOrOther(extension, mimetype);
}

function textOrOther(extension: string, mimetype: string): PreviewKind {
  const known = [markdowns, htmls, codes, plain].some((list) => list.has(extension));
  return known || mimetype.startsWith('text/') ? textKind(extension) : 'other';
}

function textKind(extension: string): PreviewKind {
  if (markdowns.has(extension)) return 'markdown';
  if (htmls.has(extension)) return 'html';
  return codes.has(extension) ? 'code' : 'text';
}

/** isText says whether a kind is shown from its characters. */
export function isText(kind: PreviewKind): kind is 'markdown' | 'html' | 'code' | 'text' {
  return kind === 'markdown' || kind === 'html' || kind === 'code' || kind === 'text';
}

/** opensInBrowser says whether a file's address shows it, instead of downloading it. */
export function opensInBrowser(file: KindOf): boolean {
  const kind = previewKind(file);
  // HTML and SVG of strangers are only ever sent as downloads.
  return kind !== 'other' && kind !== 'office' && kind !== 'html' && extensionOf(file.filename) !== 'svg';
}
