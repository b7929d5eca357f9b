import { loadText } from './loadText';
import { extensionOf } from './kind';
import { scriptSource, type PreviewedFile } from './previewed';

/** A picture says in so many of its first bytes whether it moves. */
const header = 64;

/** mayMove says by a picture's name whether it can move at all. */
export const mayMove = (filename: string) => /^(gif|apng|webp|avif)$/.test(extensionOf(filename));

/** moves finds out whether a picture that may move does; one that cannot be asked counts as moving. */
export async function moves(file: PreviewedFile, signal: AbortSignal): Promise<boolean> {
  if (/^(gif|apng)$/.test(extensionOf(file.filename))) return true;
  return loadText(scriptSource(file), header, signal).then(movesBy, () => true);
}

/** movesBy reads the beginning of a WebP or AVIF picture: a flag there, or its sort, tells of a sequence. */
export function movesBy(bytes: Uint8Array): boolean {
  const word = (from: number) => String.fromCharCode(...bytes.subarray(from, from + 4));
  if (word(0) === 'RIFF' && word(8) === 'WEBP') return word(12) === 'VP8X' && ((bytes[20] ?? 0) & 2) !== 0;
  return word(4) === 'ftyp' && word(8) === 'avis';
}
