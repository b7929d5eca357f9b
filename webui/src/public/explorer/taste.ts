import { readStoredJson, writeStored } from '../../config';
import { makeStore, patch, useStore } from '../../store';
import type { Sort } from './entries';

export const viewModes = ['list', 'grid', 'gallery'] as const;
type ViewMode = (typeof viewModes)[number];

/** Columns of the list beside the name, in their order. */
export const columns = ['kind', 'size', 'modified'] as const;
export type Column = (typeof columns)[number];

/** A window that this holds for has room for panes beside a listing. */
export const roomForPanes = '(min-width: 1100px)';

/** How the gallery is laid out; sizes in px. */
export interface GalleryTaste {
  /** width of a column when their number is left to the window. */
  width: number;
  /** columns side by side; 0 leaves it to the window. */
  columns: number;
  gapX: number;
  gapY: number;
  imagesOnly: boolean;
}

export const plainGallery: GalleryTaste = { width: 400, columns: 0, gapX: 16, gapY: 20, imagesOnly: false };

/** Taste is how this person likes to look at folders; it stays on this device. */
interface Taste {
  view: ViewMode;
  sort: Sort;
  gallery: GalleryTaste;
  /** readme says whether a folder's README is shown below its listing. */
  readme: boolean;
  /** columns of the list beside the name. */
  columns: readonly Column[];
  /** tree says whether wide windows show the tree of folders, details whether they show what is selected. */
  tree: boolean;
  details: boolean;
  /** readmeOpen says whether it stands open. */
  readmeOpen: boolean;
}

const key = 'pp.explorer';
const taste = makeStore(
  tasteOf(readStoredJson(key, (value): value is object => typeof value === 'object' && value !== null) ?? {}),
);

/** tasteOf takes what is sound of something that was stored, and the plain taste for the rest. */
export function tasteOf(stored: { [K in keyof Taste]?: unknown }): Taste {
  const gallery = (typeof stored.gallery === 'object' && stored.gallery) || {};
  const number = (name: 'width' | 'columns' | 'gapX' | 'gapY', least: number, most: number) => {
    const value: unknown = (gallery as Partial<GalleryTaste>)[name];
    const sound = typeof value === 'number' && value >= least && value <= most;
    return sound ? value : plainGallery[name];
  };
  const { sort, view, readme, readmeOpen } = stored;
  const chosen: readonly unknown[] = Array.isArray(stored.columns) ? stored.columns : ['size', 'modified'];
  return {
    view: viewModes.find((mode) => mode === view) ?? 'list',
    sort:
      typeof sort === 'string' && /^(default|(name|size|modified|type) (asc|desc))$/.test(sort)
        ? (sort as Sort)
        : 'default',
    gallery: {
      width: number('width', 120, 800),
      columns: number('columns', 0, 6),
      gapX: number('gapX', 0, 48),
      gapY: number('gapY', 0, 48),
      imagesOnly: (gallery as Partial<GalleryTaste>).imagesOnly === true,
    },
    readme: readme !== false,
    columns: columns.filter((column) => chosen.includes(column)),
    tree: stored.tree !== false,
    details: stored.details === true,
    readmeOpen: readmeOpen !== false,
  };
}

export function setTaste(change: Partial<Taste>): void {
  patch(taste, change);
  writeStored(key, JSON.stringify(taste.get()));
}

export const useTaste = (): Taste => useStore(taste);
