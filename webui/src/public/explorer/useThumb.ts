import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useInSight } from '../../hooks/useObserved';
import type { Entry } from '../../api/fs';
import { isImage } from './entries';
import { thumbQuery } from './thumbs';

/** How far outside the window a picture is fetched already. */
const ahead = '600px 0px';

/**
 * useThumb is the address of the small picture of an entry, once the element that gets its ref comes near the window:
 * undefined while it is on its way, "" of a large one. What failed waits until somebody asks for it.
 */
export function useThumb(entry: Entry) {
  const [near, setNear] = useState(false);
  const ref = useInSight(ahead, setNear);
  const { data: url, isError: failed } = useQuery({
    ...thumbQuery(entry),
    enabled: ({ state }) => near && isImage(entry) && state.status !== 'error',
  });
  return { url, failed, ref };
}
