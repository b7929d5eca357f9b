import type { Entry } from '../../api/fs';
import { EntryIcon } from './EntryIcon';
import styles from './explorer.module.css';
import { useThumb } from './useThumb';

/** Thumb is the small picture on a tile, or the sign of the kind where there is none. */
export function Thumb({ entry }: { entry: Entry }) {
  const { url, ref } = useThumb(entry);
  return (
    <span ref={ref} className={styles.thumb}>
      {url ? <img src={url} alt="" draggable={false} /> : <EntryIcon entry={entry} size={40} />}
    </span>
  );
}
