import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { Entry } from '../../api/fs';
import { Lightbox } from '../../shared/preview/Lightbox';
import { entryQuery } from '../../shared/query/folders';
import { thumbQuery } from './thumbs';

// A picture of one clear point, while the real one is on its way.
const nothing = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** Milliseconds for which the address of a picture that was passed is not asked for again. */
const keptFor = 10 * 60_000;

interface FolderLightboxProps {
  pictures: readonly Entry[];
  first: Entry;
  onClose: () => void;
}

/** FolderLightbox shows the pictures of a folder large, one after the other; the next one is asked for ahead. */
export default function FolderLightbox({ pictures, first, onClose }: FolderLightboxProps) {
  const [index, setIndex] = useState(() => Math.max(0, pictures.indexOf(first)));
  const near = [index, index + 1, index - 1].flatMap((at) => pictures[at] ?? []);
  const facts = useQueries({
    queries: near.map(({ path }) => ({ ...entryQuery(path), staleTime: Infinity, gcTime: keptFor })),
  });
  const small = useQueries({ queries: near.map((entry) => ({ ...thumbQuery(entry), enabled: false })) });
  const addresses = new Map(
    near.map(({ path }, at) => [path, facts[at]?.data?.preview_url || small[at]?.data]),
  );

  return (
    <Lightbox
      pictures={pictures.map((entry) => ({
        name: entry.name,
        src: addresses.get(entry.path) || nothing,
      }))}
      index={index}
      onIndex={setIndex}
      onClose={onClose}
    />
  );
}
