import { ownPrefix, readStoredJson, writeStored } from '../../config';
import { accountOf, visitorAccount } from './account';
import { database, type SearchEntry } from './db';

/** Where earlier versions kept the searches of whoever is signed in. */
const formerKey = `${ownPrefix}searches`;

/** Searches that are remembered, per account. */
const most = 10;

type PastSearch = Pick<SearchEntry, 'query' | 'timestamp'>;

const isPast = (value: unknown): value is PastSearch[] =>
  Array.isArray(value) &&
  value.every((one: Partial<PastSearch> | null) => typeof one?.query === 'string' && one.query !== '');

/** newest puts the last searches first, without those that are one too many. */
const newest = (rows: readonly PastSearch[]) =>
  rows
    .toSorted((a, b) => b.timestamp - a.timestamp)
    .map(({ query }) => query)
    .slice(0, most);

/**
 * searches are what the account has searched for last on this device. A device that keeps nothing remembers
 * nothing; that is no error.
 */
export const searches = {
  /** list gives the queries, the last one first. */
  async list(): Promise<string[]> {
    const account = accountOf();
    try {
      await takeFormer(account);
      return newest(await rowsOf(account));
    } catch {
      return [];
    }
  },

  async note(query: string): Promise<void> {
    const account = accountOf();
    try {
      const db = await database();
      // Nothing is written for somebody who has left meanwhile.
      if (account === visitorAccount || accountOf() !== account) return;
      await db.put('searchHistory', { account, query, timestamp: Date.now() });
      const kept = new Set(newest(await rowsOf(account)));
      for (const row of await rowsOf(account))
        if (!kept.has(row.query)) await db.delete('searchHistory', [account, row.query]);
    } catch {
      // Not remembered.
    }
  },

  async clear(): Promise<void> {
    const account = accountOf();
    writeStored(formerKey, '');
    const db = await database();
    for (const { query } of await rowsOf(account)) await db.delete('searchHistory', [account, query]);
  },
};

async function rowsOf(account: string): Promise<SearchEntry[]> {
  const db = await database();
  return db.getAll('searchHistory', IDBKeyRange.bound([account, ''], [account, '\uffff']));
}

/** takeFormer moves the searches of an earlier version into the store, once. */
async function takeFormer(account: string): Promise<void> {
  const former = readStoredJson(formerKey, isPast);
  if (!former || account === visitorAccount) return;
  const db = await database();
  for (const { query, timestamp } of former)
    await db.put('searchHistory', { account, query, timestamp: Number(timestamp) || Date.now() });
  writeStored(formerKey, '');
}
