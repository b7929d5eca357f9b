import type { Entry, Listing } from '../../api/fs';
import { onOtherAccount } from '../../auth/otherAccount';

/** A Kept listing and when it arrived, in milliseconds; age is how many seconds before that the storage was asked. */
export interface Kept {
  listing: Listing;
  at: number;
  age: number;
}

/** Listings of the folders that were visited last; more are forgotten. */
const most = 30;

const kept = new Map<string, Kept>();
const listeners = new Set<() => void>();
let era = 0;

function changed() {
  for (const listener of listeners) listener();
}

/**
 * listings keeps what folders held when they were last read, so that a folder
 * stands at once when its visitor comes back, while it is read again.
 */
export const listings = {
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  get: (path: string): Kept | undefined => kept.get(path),

  /** era grows when something that may be on the screen has to be read again. */
  era: () => era,

  put(path: string, listing: Listing, age = 0) {
    kept.delete(path);
    kept.set(path, { listing, at: Date.now(), age });
    for (const old of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(old);
    }
    changed();
  },

  /** change shows entries as they will be; the answer takes the change back. */
  change(path: string, edit: (items: readonly Entry[]) => Entry[]): () => void {
    const before = kept.get(path);
    if (!before) return () => {};
    kept.set(path, { ...before, listing: { ...before.listing, items: edit(before.listing.items) } });
    changed();
    return () => {
      kept.set(path, before);
      changed();
    };
  },

  /** forget drops a folder and all below it, which have gone. */
  forget(path: string) {
    for (const other of kept.keys()) {
      if (other === path || other.startsWith(`${path}/`)) kept.delete(other);
    }
    listings.reread();
  },

  /** reread has the folder on the screen read again, which keeps showing what it held. */
  reread() {
    era++;
    changed();
  },

  clear() {
    kept.clear();
    listings.reread();
  },
};

onOtherAccount(() => listings.clear());
