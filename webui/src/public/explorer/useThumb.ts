import { useEffect, useState, type RefObject } from 'react';
import type { Entry } from '../../api/fs';
import { isImage } from './entries';
import { thumbs, useSmall, type Small } from './thumbs';

/** How far outside the window a picture is fetched already. */
const ahead = '600px 0px';

/** useThumb is the small picture of an entry, once the element comes near the window. */
export function useThumb(entry: Entry, element: RefObject<Element | null>): Small {
  const small = useSmall(entry);
  const [near, setNear] = useState(false);
  const wanted = near && isImage(entry);

  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(([seen]) => setNear(seen?.isIntersecting ?? false), {
      rootMargin: ahead,
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);

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

  return small;
}
