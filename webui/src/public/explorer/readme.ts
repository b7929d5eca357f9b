import type { Entry } from '../../api/fs';

/** Longest README that is shown, in bytes. */
export const longestReadme = 1 << 20;

/** readmeOf finds a folder's README among its entries. */
export const readmeOf = (entries: readonly Entry[]): Entry | undefined =>
  entries.find(
    ({ name, isDirectory, size }) =>
      !isDirectory && /^readme\.(md|markdown)$/i.test(name) && (size ?? 0) <= longestReadme,
  );
