/** Size of every part but the last, in bytes (§5). */
export const partSize = 5 << 20;

/** Files from this size on go in parts, so that they can be resumed; in bytes. */
export const inPartsFrom = 4 * partSize;

/** The most parts S3 takes in one upload. */
const mostParts = 10_000;

/** partSizeFor is 5 MiB, or the smallest multiple of it that needs no more than 10,000 parts. */
export function partSizeFor(size: number): number {
  return partSize * Math.max(1, Math.ceil(size / (partSize * mostParts)));
}
