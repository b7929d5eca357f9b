import type { QueueItem } from '../shared/offline/db';

/** rows are the writes in the store that `database` opens. */
export const rows = new Map<string, QueueItem>();

const store = {
  get: (id: string) => Promise.resolve(rows.get(id)),
  getAll: () => Promise.resolve([...rows.values()]),
  put: (row: QueueItem) => Promise.resolve(rows.set(row.id, row)),
  delete: (id: string) => Promise.resolve(rows.delete(id)),
  index: () => ({ openKeyCursor: () => Promise.resolve(null) }),
};

const db = {
  get: (_store: string, id: string) => store.get(id),
  put: (_store: string, row: QueueItem) => store.put(row),
  delete: (_store: string, id: string) => store.delete(id),
  getAllFromIndex: () => store.getAll(),
  transaction: () => ({ store, done: Promise.resolve() }),
};

/** database stands for that of shared/offline/db, for `vi.mock`: it keeps the queue of writes in memory. */
export const database = () => Promise.resolve(db);
