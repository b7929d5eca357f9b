// Shows a file or a text to a reader: what kind it is, how it is decoded, and
// a view for each kind. Knows no share and no mount.
export { FilePreview, isTextFile, prepare, settlesLater } from './FilePreview';
export { opensInBrowser, previewKind, type PreviewKind } from './kind';
export type { Around, PreviewedFile } from './previewed';
