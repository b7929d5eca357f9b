import type { Entry } from '../../api/fs';
import type { OnDrop } from './drag';
import type { Point } from './useLongPress';
import type { Marks } from './useMarks';
import type { GridActions } from './useGridKeys';
import type { Selection } from './useSelection';

/** What every view of a folder is given. */
export interface ListingViewProps {
  /** path of the folder. */
  path: string;
  entries: readonly Entry[];
  selection: Selection;
  actions: GridActions;
  /** onMenu opens the menu of an entry; without one it closes it. */
  onMenu: (entry: Entry | undefined, at?: Point) => void;
  /** onDrop moves entries by dragging; undefined when this visitor may not move. */
  onDrop: OnDrop | undefined;
  /** sizes of folders that have been summed up, by path. */
  sizes: ReadonlyMap<string, string>;
  /** marks are the shares of the files. */
  marks: Marks;
  /** onMark shows the shares of an entry. */
  onMark: (entry: Entry) => void;
  /** startAt is the index of the entry to begin at. */
  startAt: number;
  focusAtStart: boolean;
}
