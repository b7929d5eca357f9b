import { useEffect, useState, useSyncExternalStore, type RefObject } from 'react';
import type { Entry } from '../../api/fs';
import { isImage } from './entries';
import { largestByItself, thumbs, type Small } from './thumbs';

/** How far outside the window a picture is fetched already. */
const ahead = '600px 0px';

interface Shown extends Small {
  /** large says that it is not fetched before somebody asks. */
  large: boolean;
  ask: () => void;
  retry: () => void;
}

/** useThumb is the small picture of an entry, once the element comes near the window. */
export function useThumb(entry: Entry, element: RefObject<Element | null>): Shown {
  const small = useSyncExternalStore(thumbs.subscribe, () => thumbs.get(entry));
  const [near, setNear] = useState(false);
  const [asked, setAsked] = useState(false);
  const large = (entry.size ?? 0) > largestByItself && !asked;
  const wanted = near && isImage(entry) && !large;

  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(([seen]) => setNear(seen?.isIntersecting ?? false), {
      rootMargin: ahead,
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);

  const { path, etag, modified } = entry;
  useEffect(() => {
    if (!wanted) return;
    return thumbs.want({
      name: '',
      isDirectory: false,
      path,
      ...(etag && { etag }),
      modified: modified ?? '',
    });
  }, [wanted, path, etag, modified]);

  return { ...small, large, ask: () => setAsked(true), retry: () => thumbs.retry(entry) };
}
