import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction, type StoreNames } from 'idb';

/** A copy of what a person has read, for that person alone. */
export interface Copy {
  /** account whose credential fetched it, see accountOf. */
  account: string;
  /** path of the call, with its query. */
  path: string;
  data: unknown;
  etag: string;
  /** lastModified is when it was fetched, in milliseconds. */
  lastModified: number;
}

interface SettingCopy {
  account: string;
  key: string;
  value: unknown;
  updatedAt: number;
}

export interface SearchEntry {
  account: string;
  query: string;
  timestamp: number;
}

/** Kinds of writes that wait for the network (§7). The check of a share's password waits in memory only. */
export type Kind =
  | 'createPaste'
  | 'updatePaste'
  | 'batchDelete'
  | 'clearExpired'
  | 'updateGroupSettings'
  | 'clearCache'
  | 'verifyFilePassword';

/**
 * States of a waiting write: sent next; being sent; to be sent again; refused; to be sent after the account has
 * signed in again; the server holds something newer; a password is asked for.
 */
export type Status =
  'pending' | 'syncing' | 'retry' | 'failed' | 'needs_sign_in' | 'conflict' | 'needs_input';

/** A write made offline (§3). It holds no credential and no password. */
export interface QueueItem {
  id: string;
  type: Kind;
  /** timestamp is when it was made, in milliseconds. */
  timestamp: number;
  status: Status;
  data: Record<string, unknown>;
  endpoint: string;
  method: 'POST' | 'PUT' | 'DELETE';
  /** authToken is always empty: the credential of the day is attached when it is sent. */
  authToken: '';
  authType: 'none' | 'admin' | 'apikey';
  account: string;
  idempotencyKey: string;
  /** etag is what a change is based on; "" for none. */
  etag: string;
  /** guarded says that a password belongs to it, which is asked for each time; it is never sent without. */
  guarded?: boolean;
  /** tell has the owner told when the share that it makes is opened. */
  tell?: boolean;
  tries: number;
  /** reason is the last refusal's text or machine code. */
  reason: string;
  /** code is the last refusal's machine code, where it had one. */
  code?: string;
}

interface Schema extends DBSchema {
  pastes: { key: [string, string]; value: Copy };
  files: { key: [string, string]; value: Copy };
  directories: { key: [string, string]; value: Copy };
  settings: { key: [string, string]; value: SettingCopy };
  offlineQueue: { key: string; value: QueueItem; indexes: { order: number } };
  searchHistory: { key: [string, string]; value: SearchEntry };
}

type Upgrade = (
  db: IDBPDatabase<Schema>,
  transaction: IDBPTransaction<Schema, StoreNames<Schema>[], 'versionchange'>,
) => void;

/** One step per version, in order; a step that was released is never changed. */
const steps: Upgrade[] = [
  (db) => {
    for (const store of ['pastes', 'files', 'directories'] as const)
      db.createObjectStore(store, { keyPath: ['account', 'path'] });
    db.createObjectStore('settings', { keyPath: ['account', 'key'] });
    db.createObjectStore('searchHistory', { keyPath: ['account', 'query'] });
  },
  (db) => {
    const queue = db.createObjectStore('offlineQueue', { keyPath: 'id' });
    queue.createIndex('order', 'timestamp');
  },
];

/** The one version that the page and its worker share. */
export const version = steps.length;
const databaseName = 'pasteport-offline';

let opened: Promise<IDBPDatabase<Schema>> | undefined;

/** database opens the store once; it is opened again after the browser or a newer version has closed it. */
export function database(): Promise<IDBPDatabase<Schema>> {
  const forget = () => (opened = undefined);
  opened ??= openDB<Schema>(databaseName, version, {
    upgrade(db, from, _to, transaction) {
      for (const step of steps.slice(from)) step(db, transaction);
    },
    blocking: (_now, _next, event) => {
      (event.target as IDBDatabase).close();
      forget();
    },
    terminated: forget,
  }).catch((error: unknown) => {
    forget();
    throw error;
  });
  return opened;
}

/** count says how many writes wait. */
export const count = async () => (await database()).count('offlineQueue');
