import { Ellipsis } from 'lucide-react';
import type { Entry } from '../../api/fs';
import { useT } from '../../i18n';
import { IconButton } from '../../shared/ui';
import type { ListingViewProps } from './listingView';
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
      <Ellipsis size={20} aria-hidden="true" />
    </IconButton>
  );
}
