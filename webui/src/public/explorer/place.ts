import { useMemo } from 'react';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { config } from '../../config';
import { segmentsOf } from '../../shared/foldertree/paths';

export { cleanPath, join, nameOf, parentOf, segmentsOf } from '../../shared/foldertree/paths';

const root = '/mount-explorer';

export interface Place {
  /** path of the folder on the screen. */
  path: string;
  /** preview is the name of the file that is shown instead of the listing; "" for none. */
  preview: string;
}

/** usePlace reads the folder and the file from the address, which is the truth about them. */
export function usePlace(): Place {
  // wouter's own parameters are decoded in a way that loses a "%" in a name.
  const pathname = usePathname();
  const search = useSearch();
  return useMemo(
    () => ({
      path: pathOf(pathname.slice(config.basePath.length + root.length)),
      preview: new URLSearchParams(search).get('preview') ?? '',
    }),
    [pathname, search],
  );
}

/** pathOf decodes the part of an address that names a folder. */
export function pathOf(encoded: string): string {
  return `/${segmentsOf(encoded).map(decoded).join('/')}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** hrefOf is the page of a folder, and of a file in it. */
export function hrefOf(path: string, preview = ''): string {
  const encoded = segmentsOf(path).map((segment) => `/${encodeURIComponent(segment)}`);
  return root + encoded.join('') + (preview && `?preview=${encodeURIComponent(preview)}`);
}
