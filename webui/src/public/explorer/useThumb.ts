import { useEffect, useState, type RefCallback } from 'react';
import { useInSight } from '../../hooks/useObserved';
import type { Entry } from '../../api/fs';
import { isImage } from './entries';
import { thumbs, useSmall, type Small } from './thumbs';

/** How far outside the window a picture is fetched already. */
const ahead = '600px 0px';

/** useThumb is the small picture of an entry, once the element that gets its ref comes near the window. */
export function useThumb(entry: Entry): Small & { ref: RefCallback<Element> } {
  const small = useSmall(entry);
  const [near, setNear] = useState(false);
  const wanted = near && isImage(entry);

  const ref = useInSight(ahead, setNear);

  const { path, etag, modified, size } = entry;
  useEffect(() => {
    if (!wanted) return;
    return thumbs.want({
      name: '',
      isDirectory: false,
      path,
      ...(etag && { etag }),
      modified: modified ?? '',
      size: size ?? null,
    });
  }, [wanted, path, etag, modified, size]);

  return { ...small, ref };
}
