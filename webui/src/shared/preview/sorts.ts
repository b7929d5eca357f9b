import { extensionOf, type KindOf } from './kind';

// What a file is in words, for those that are not shown here.
const sorts = {
  archive: 'zip tar gz tgz bz2 xz zst 7z rar jar cab lz lzma',
  image: 'tiff tif psd ai eps heic heif raw cr2 nef dng xcf jxl',
  drawing: 'dwg dxf stl obj 3mf step stp fbx blend glb gltf skp',
  font: 'ttf otf woff woff2',
  book: 'epub mobi azw3 djvu fb2',
  program: 'exe msi dmg pkg deb rpm apk appimage ipa run',
  disk: 'iso img vhd vhdx vmdk qcow2',
  data: 'db sqlite sqlite3 mdb accdb parquet',
  media: 'mp4 mkv avi mov rmvb flv m3u8 ts m2ts wma swf amr',
  document: 'doc docx xls xlsx ppt pptx odt ods odp rtf pdf pages numbers key vsd',
  certificate: 'pem crt cer p12 pfx gpg asc',
} as const;

export type Sort = keyof typeof sorts | 'unknown';

/** sortOf says what sort of file it is, by its extension. */
export function sortOf({ filename }: Pick<KindOf, 'filename'>): Sort {
  const extension = extensionOf(filename);
  const found = (Object.keys(sorts) as (keyof typeof sorts)[]).find((sort) =>
    sorts[sort].split(' ').includes(extension),
  );
  return found ?? 'unknown';
}
