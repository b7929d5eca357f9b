import { useEffect, useState } from 'react';
import { getEntry, type Entry } from '../../api/fs';
import { Lightbox } from '../../shared/preview/Lightbox';
import { thumbs, useSmall } from './thumbs';

// A picture of one clear point, while the real one is on its way.
const nothing = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

interface FolderLightboxProps {
  pictures: readonly Entry[];
  first: Entry;
  onClose: () => void;
}

/** FolderLightbox shows the pictures of a folder large, one after the other; the next one is asked for ahead. */
export default function FolderLightbox({ pictures, first, onClose }: FolderLightboxProps) {
  const [index, setIndex] = useState(() => Math.max(0, pictures.indexOf(first)));
  const [addresses, setAddresses] = useState<ReadonlyMap<string, string>>(new Map());
  useSmall(first);
  const near = [index, index + 1, index - 1].flatMap((at) => pictures[at]?.path ?? []);
  const missing = near.find((path) => !addresses.has(path));

  useEffect(() => {
    if (missing === undefined) return;
    const leave = new AbortController();
    const put = (address: string) => setAddresses((before) => new Map(before).set(missing, address));
    getEntry(missing, leave.signal).then(
      ({ preview_url }) => put(preview_url ?? ''),
      () => {
        if (!leave.signal.aborted) put('');
      },
    );
    return () => leave.abort();
  }, [missing]);

  return (
    <Lightbox
      pictures={pictures.map((entry) => ({
        name: entry.name,
        src: addresses.get(entry.path) || thumbs.get(entry).url || nothing,
      }))}
      index={index}
      onIndex={setIndex}
      onClose={onClose}
    />
  );
}
