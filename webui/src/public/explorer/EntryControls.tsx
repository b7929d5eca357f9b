import { Ellipsis, Share2 } from 'lucide-react';
import type { Entry } from '../../api/fs';
import { useT } from '../../i18n';
import { IconButton } from '../../shared/ui';
import styles from './explorer.module.css';
import type { ListingViewProps } from './listingView';
import { countOf, type Marks } from './useMarks';
import { isSelectable } from './useSelection';

interface CheckProps extends Pick<ListingViewProps, 'selection'> {
  entry: Entry;
  className?: string | undefined;
}

/** EntryCheck selects an entry; with Shift everything from the last one to it. */
export function EntryCheck({ entry, selection, className }: CheckProps) {
  const t = useT();
  if (!isSelectable(entry)) return null;
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      className={className}
      checked={selection.has(entry)}
      aria-label={t('explorer.list.select', { name: entry.name })}
      onChange={(event) => {
        const shift = event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey;
        if (shift) selection.extend(entry);
        else selection.toggle(entry);
      }}
    />
  );
}

interface MarkProps extends Pick<ListingViewProps, 'marks' | 'onMark'> {
  entry: Entry;
}

/** EntryMark says that an entry is shared, and leads to its shares; the menu of the entry does as well. */
export function EntryMark({ entry, marks, onMark }: MarkProps) {
  const t = useT();
  const count = countOf(marks, entry.name);
  if (count === 0) return null;
  const label = t('explorer.share.mark', count);
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.mark}
      aria-label={label}
      title={label}
      onClick={() => onMark(entry)}
    >
      <Share2 size={14} />
      {count > 1 && <span>{count}</span>}
    </button>
  );
}

/** FolderMark says that links lead to all of the folder that is shown, and shows them. */
export function FolderMark({ marks, onMark }: { marks: Marks; onMark: () => void }) {
  const t = useT();
  const count = countOf(marks, '');
  if (count === 0) return null;
  const label = t('explorer.share.folderMark', count);
  return (
    <IconButton label={label} onClick={onMark}>
      <Share2 size={18} className={styles.markSign} />
    </IconButton>
  );
}

interface MoreProps extends Pick<ListingViewProps, 'onMenu'> {
  entry: Entry;
  /** active is true for the entry that Tab reaches. */
  active: boolean;
}

/** EntryMore opens the menu of an entry for those who press a button. */
export function EntryMore({ entry, active, onMenu }: MoreProps) {
  const t = useT();
  return (
    <IconButton
      label={t('explorer.list.more', { name: entry.name })}
      aria-haspopup="menu"
      tabIndex={active ? 0 : -1}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        onMenu(entry, { x: box.right, y: box.bottom });
      }}
    >
      <Ellipsis size={20} />
    </IconButton>
  );
}
