import { extensionOf, type KindOf } from './kind';

/** tarKind says whether a name is that of a TAR archive, and of one that gzip has packed. */
export function tarKind(filename: string): 'plain' | 'packed' | undefined {
  if (/\.(tar\.gz|tgz)$/i.test(filename)) return 'packed';
  return /\.tar$/i.test(filename) ? 'plain' : undefined;
}

const isZip = (file: KindOf) =>
  /^(zip|jar|apk|ipa|epub|whl|cbz|xpi|3mf)$/.test(extensionOf(file.filename)) ||
  file.mimetype === 'application/zip';

/** isArchive says whether what a file holds can be listed. */
export const isArchive = (file: KindOf) => tarKind(file.filename) !== undefined || isZip(file);
