import { queryOptions } from '@tanstack/react-query';
import {
  folderSize,
  getEntry,
  listFolder,
  listMarks,
  listMounts,
  type Entry,
  type Listing,
} from '../../api/fs';
import { queryClient } from './client';

/** A Kept listing and when it arrived, in milliseconds; age is how many seconds before that the storage was asked. */
export interface Kept {
  listing: Listing;
  at: number;
  age: number;
}

/** Milliseconds for which a folder that was left stands at once when its visitor comes back. */
const keptFor = 30 * 60_000;

const folders = ['folders'];
const folderKey = (path: string) => [...folders, path];
const marksKey = (path: string) => ['marks', path];

/** Folders whose next reading asks the storage itself. */
const freshly = new Set<string>();

/** folderQuery is what a folder holds; it goes on being shown while it is read again. */
export const folderQuery = (path: string) =>
  queryOptions({
    queryKey: folderKey(path),
    queryFn: async ({ signal }): Promise<Kept> => {
      let age = 0;
      const listing = await listFolder(path, freshly.delete(path), signal, (seconds) => {
        age = seconds;
      });
      void marksChanged(path);
      return { listing, at: Date.now(), age };
    },
    gcTime: keptFor,
  });

/** marksQuery is the shares that lead to what a folder holds. A failure leaves those that were known. */
export const marksQuery = (path: string) =>
  queryOptions({
    queryKey: marksKey(path),
    queryFn: ({ signal }) => listMarks(path, signal),
  });

const entryKey = (path: string) => ['entry', path];

/** entryQuery is what the server tells of one entry, with links to its bytes. */
export const entryQuery = (path: string) =>
  queryOptions({ queryKey: entryKey(path), queryFn: ({ signal }) => getEntry(path, signal) });

/** sizesQuery counts folders with all below them. */
export const sizesQuery = (paths: readonly string[]) =>
  queryOptions({
    queryKey: ['sizes', paths],
    queryFn: ({ signal }) => Promise.all(paths.map((path) => folderSize(path, signal))),
  });

/** mountsQuery names the mounts that the caller may use. */
export const mountsQuery = queryOptions({
  queryKey: ['mounts'],
  queryFn: ({ signal }) => listMounts(signal),
});

/** folderChanged has a folder read again when it is on the screen; fresh asks the storage itself. */
export async function folderChanged(path: string, fresh = false): Promise<void> {
  const queryKey = folderKey(path);
  if (fresh) freshly.add(path);
  // An answer that is on its way may be older than the change.
  await queryClient.cancelQueries({ queryKey });
  await queryClient.invalidateQueries({ queryKey });
}

/** foldersChanged has all folders on the screen read again. */
export const foldersChanged = () => queryClient.invalidateQueries({ queryKey: folders });

/** foldersGone drops folders and all below them, and has what is on the screen read again. */
export function foldersGone(paths: readonly string[]): Promise<void> {
  queryClient.removeQueries({
    queryKey: folders,
    predicate: ({ queryKey: [, other] }) => paths.some((path) => `${String(other)}/`.startsWith(`${path}/`)),
  });
  return foldersChanged();
}

/** entryChanged has an entry that holds something else read anew; what it was is shown no more. */
export const entryChanged = (path: string) => queryClient.resetQueries({ queryKey: entryKey(path) });

/** marksChanged has the shares of a folder's files read again. */
export const marksChanged = (path: string) => queryClient.invalidateQueries({ queryKey: marksKey(path) });

/** showEdit shows the entries of a folder as they will be. What it answers takes that back. */
export async function showEdit(
  path: string,
  edit: (items: readonly Entry[]) => Entry[],
): Promise<() => void> {
  const queryKey = folderKey(path);
  await queryClient.cancelQueries({ queryKey });
  const before = queryClient.getQueryData<Kept>(queryKey);
  if (!before) return () => undefined;
  const items = edit(before.listing.items);
  queryClient.setQueryData<Kept>(queryKey, { ...before, listing: { ...before.listing, items } });
  return () => void queryClient.setQueryData(queryKey, before);
}
