import { Folder, HardDrive } from 'lucide-react';
import type { Entry } from '../../api/fs';
import { KindIcon } from '../../shared/preview/KindIcon';
import { kindOf } from './entries';
import styles from './explorer.module.css';

type Drawn = Pick<Entry, 'name' | 'isDirectory' | 'isMount' | 'type'>;

/** EntryIcon is the sign of an entry; the name beside it says the rest. */
export function EntryIcon({ entry, size = 20 }: { entry: Drawn; size?: number }) {
  return (
    <span className={styles.icon} aria-hidden="true">
      {entry.isMount ? (
        <HardDrive size={size} data-kind="folder" />
      ) : entry.isDirectory ? (
        <Folder size={size} data-kind="folder" />
      ) : (
        <KindIcon file={kindOf(entry)} size={size} />
      )}
    </span>
  );
}
