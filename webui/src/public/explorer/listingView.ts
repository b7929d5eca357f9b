import type { Entry } from '../../api/fs';
import type { Point } from './useLongPress';
import type { GridActions } from './useGridKeys';
import type { Selection } from './useSelection';

/** What the list and the tiles are given. */
export interface ListingViewProps {
  /** path of the folder. */
  path: string;
  entries: readonly Entry[];
  selection: Selection;
  actions: GridActions;
  onMenu: (entry: Entry, at: Point) => void;
  /** startAt is the index of the entry to begin at. */
  startAt: number;
  focusAtStart: boolean;
}
