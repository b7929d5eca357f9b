import { refuses } from '../api/client';
import type { Copy } from '../api/offline';
import { accountOf, visitorAccount } from '../shared/offline/account';
import { cacheNames, sharedAtHeader } from '../shared/offline/cacheNames';
import { database } from '../shared/offline/db';

/** How long in milliseconds a copy may be read (§9). */
export const keptFor = 7 * 24 * 60 * 60_000;

/** What a visitor has read is somebody else's: five minutes and thirty entries, for a reload in a tunnel. */
export const visitorKeptFor = 5 * 60_000;
const visitorEntries = 30;

/** How long in milliseconds what another app has shared waits for the page that takes it. */
export const sharedFor = 5 * 60_000;

type Store = 'pastes' | 'files' | 'directories' | 'settings';

// Which answers are kept, and where. The folder list stands for its first page.
const stores: [RegExp, Store][] = [
  [/^\/(paste\/[^/]+|pastes(\/[^/]+)?)$/, 'pastes'],
  [/^\/(public\/files\/[^/]+|files(\/[^/]+)?)$/, 'files'],
  [/^\/fs\/(list|get)$/, 'directories'],
  [
    /^\/(version|admin\/(settings(\/\w+)?|mounts|dashboard\/stats|cache\/stats|api-keys|drivers)|user\/mounts|s3-configs|system\/max-upload-size)$/,
    'settings',
  ],
];

const storeOf = (path: string): Store | undefined =>
  stores.find(([pattern]) => pattern.test(path.split('?')[0] ?? ''))?.[1];

/**
 * keep takes a copy of an answer, without what must not lie on a device: protected, counted, signed or expiring
 * things. What may not be kept any more, or is gone (no data), takes an older copy along.
 */
export async function keep(asked: string, data: unknown, etag: string): Promise<void> {
  const path = withoutPeek(asked);
  const store = storeOf(path);
  if (!store || /[?&](peek|password|cursor)=/.test(path)) return;
  const clean = cleaned(data);
  const account = accountOf();
  if (clean === undefined) {
    await database()
      .then((db) => db.delete(store, [account, path]))
      .catch(() => undefined);
    return;
  }
  if (path !== asked) return;
  const now = Date.now();
  const write = async () => {
    const db = await database();
    // Whoever has signed out meanwhile leaves nothing behind.
    if (accountOf() !== account) return;
    if (store === 'settings') await db.put(store, { account, key: path, value: clean, updatedAt: now });
    else await db.put(store, { account, path, data: clean, etag, lastModified: now });
    if (account === visitorAccount && store !== 'settings') await prune(store);
  };
  await write()
    .catch(() => makeRoom().then(write))
    .catch(full);
}

// What tells whether a share is there stands in the share itself.
const withoutPeek = (path: string) => path.replace(/\?peek=1$/, '');

/**
 * makeRoom gives up the older half of the copies, and small pictures. Where a write that waits has no room, all of
 * them go.
 */
export async function makeRoom(all = false): Promise<void> {
  if ('caches' in globalThis) await caches.delete(cacheNames.pictures);
  const db = await database();
  const rows: { at: number; drop: () => Promise<void> }[] = [];
  for (const store of ['pastes', 'files', 'directories'] as const)
    for (const { account, path, lastModified } of await db.getAll(store))
      rows.push({ at: lastModified, drop: () => db.delete(store, [account, path]) });
  for (const { account, key, updatedAt } of await db.getAll('settings'))
    rows.push({ at: updatedAt, drop: () => db.delete('settings', [account, key]) });
  rows.sort((a, b) => a.at - b.at);
  for (const { drop } of rows.slice(0, all ? rows.length : Math.ceil(rows.length / 2))) await drop();
}

async function prune(store: 'pastes' | 'files' | 'directories'): Promise<void> {
  const db = await database();
  const all = await db.getAll(store, IDBKeyRange.bound([visitorAccount, ''], [visitorAccount, '\uffff']));
  const old = all.sort((a, b) => b.lastModified - a.lastModified).slice(visitorEntries);
  await Promise.all(old.map(({ account, path }) => db.delete(store, [account, path])));
}

/** recall gives the copy of an answer that this account may still read. */
export async function recall(asked: string): Promise<Copy | undefined> {
  const path = withoutPeek(asked);
  const store = storeOf(path);
  if (!store) return undefined;
  const account = accountOf();
  const db = await database();
  const found =
    store === 'settings'
      ? await db
          .get(store, [account, path])
          .then((row) => row && { body: row.value, etag: '', takenAt: row.updatedAt })
      : await db
          .get(store, [account, path])
          .then((row) => row && { body: row.data, etag: row.etag, takenAt: row.lastModified });
  if (!found || isOld(found.takenAt, account) || expired(found.body)) return undefined;
  return found;
}

/**
 * standBy gives the copy for an answer that takes long. Where the answer then says that nobody, or not this account,
 * may read it any more, the copy goes.
 */
export async function standBy(
  path: string,
  asked: Promise<Parameters<typeof refuses>[0]>,
): ReturnType<typeof recall> {
  const account = accountOf();
  const found = await recall(path);
  if (found)
    void asked
      .then((answer) => (refuses(answer) && accountOf() === account ? keep(path, undefined, '') : undefined))
      .catch(() => undefined);
  return found;
}

/** isOld says that a copy has had its time. A clock that was put back does not make it younger than it is. */
const isOld = (at: number, account: string) =>
  Math.abs(Date.now() - at) > (account === visitorAccount ? visitorKeptFor : keptFor);

/** expired says whether a share has ended since it was read. */
function expired(data: unknown): boolean {
  const { expiresAt, expires_at } = (data ?? {}) as { expiresAt?: unknown; expires_at?: unknown };
  const end = expiresAt ?? expires_at;
  return typeof end === 'string' && Date.parse(end) <= Date.now();
}

const secretNames = /^(plain_?password|password|token|ticket|secret|access_key_id|secret_access_key)$/i;

/** isSecret tells values that must not lie on a device. The `key` of a setting and of a driver's field is a name. */
const isSecret = (name: string, value: unknown, row: Record<string, unknown>) =>
  typeof value === 'string' && (secretNames.test(name) || (name === 'key' && 'permissions' in row));
const signed = /[?&](X-Amz-Signature|sig|sign|signature|token|ticket|password)=|\/api\/blob\//i;

/**
 * cleaned removes signed links and secrets from an answer. Answers about protected shares and shares with a view
 * limit are not kept at all; in lists, their rows are kept without their text.
 */
export function cleaned(data: unknown): unknown {
  if (isRecord(data) && isGuarded(data)) return undefined;
  return strip(data);
}

// Lists carry the beginning of each text.
const texts = /^content(_?preview)?$/i;

function strip(value: unknown): unknown {
  if (typeof value === 'string') return signed.test(value) ? '' : value;
  if (Array.isArray(value)) return value.map(strip);
  if (!isRecord(value)) return value;
  const guarded = isGuarded(value);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => !isSecret(name, inner, value) && !(guarded && texts.test(name)))
      .map(([name, inner]) => [name, strip(inner)]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A share that not everybody may read at any time: password, view limit. */
const isGuarded = (row: Record<string, unknown>): boolean =>
  [row.hasPassword, row.has_password, row.requires_password, row.requiresPassword, row.isLastView].some(
    Boolean,
  ) || Boolean(row.maxViews ?? row.max_views);

/**
 * sweep removes what is too old, and what is left of accounts whose session has ended while nobody listened; called at
 * start and daily.
 */
export async function sweep(): Promise<void> {
  const present = accountOf();
  // Where the browser refuses its caches, copies go all the same.
  if ('caches' in globalThis) await sweepCaches(present).catch(() => undefined);
  const isOver = (account: string, at: number) =>
    isOld(at, account) || (account !== present && account !== visitorAccount);
  const db = await database();
  for (const store of ['pastes', 'files', 'directories'] as const)
    for (const { account, path, lastModified } of await db.getAll(store))
      if (isOver(account, lastModified)) await db.delete(store, [account, path]);
  for (const { account, key, updatedAt } of await db.getAll('settings'))
    if (isOver(account, updatedAt)) await db.delete('settings', [account, key]);
  for (const { account, query, timestamp } of await db.getAll('searchHistory'))
    if (isOver(account, timestamp)) await db.delete('searchHistory', [account, query]);
}

/**
 * sweepCaches drops the pictures of a session that has ended, and what was shared and never taken. What has just come is
 * another page's, which is on its way.
 */
async function sweepCaches(present: string): Promise<void> {
  if (present === visitorAccount) await caches.delete(cacheNames.pictures);
  if (!(await caches.has(cacheNames.shared))) return;
  const cache = await caches.open(cacheNames.shared);
  for (const key of await cache.keys()) {
    const at = Number((await cache.match(key))?.headers.get(sharedAtHeader));
    if (Math.abs(Date.now() - at) > sharedFor) await cache.delete(key);
  }
}

/** wipe removes every copy and what the worker keeps besides the app itself. The queue stays, see queue.ts. */
export async function wipe(): Promise<void> {
  if ('caches' in globalThis) await Promise.all(Object.values(cacheNames).map((name) => caches.delete(name)));
  const db = await database();
  await Promise.all(
    (['pastes', 'files', 'directories', 'settings', 'searchHistory'] as const).map((store) =>
      db.clear(store),
    ),
  );
}

let told = false;

/** Without room on the device there are no copies; that is said once. */
async function full(): Promise<void> {
  if (told) return;
  told = true;
  await import('./noRoom').then(({ sayNoRoom }) => sayNoRoom());
}
