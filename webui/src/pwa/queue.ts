import { api, ApiError, newIdempotencyKey } from '../api/client';
import { readStoredJson, writeStored } from '../config';
import { accountOf } from '../shared/offline/account';
import { database, type Kind, type QueueItem, type Status } from '../shared/offline/db';
import { announceSynced } from '../shared/offline/synced';
import { makeStore, type Followed } from '../store';
import { makeRoom } from './copies';
import { syncTag } from './messages';

/** Age in milliseconds after which a waiting write is not sent any more. */
export const sentWithin = 7 * 24 * 60 * 60_000;

/** How often a write is sent again, and the waits before that in milliseconds. */
const retriesAtMost = 3;
export const waitBefore = (tries: number) => Math.min(30_000, 1000 * 2 ** Math.max(0, tries - 1));

// The only calls that the queue makes. A stored endpoint that no row names is never called.
const routes: Record<
  Exclude<Kind, 'verifyFilePassword'>,
  { method: QueueItem['method']; endpoint: RegExp }
> = {
  createPaste: { method: 'POST', endpoint: /^\/paste$/ },
  updatePaste: { method: 'PUT', endpoint: /^\/pastes\/[A-Za-z0-9_-]+$/ },
  batchDelete: { method: 'DELETE', endpoint: /^\/pastes\/batch-delete$/ },
  clearExpired: { method: 'POST', endpoint: /^\/(admin\/)?pastes\/clear-expired$/ },
  updateGroupSettings: { method: 'PUT', endpoint: /^\/admin\/settings\/group\/\d+$/ },
  clearCache: { method: 'POST', endpoint: /^\/(admin|user)\/cache\/clear$/ },
};

type Stored = keyof typeof routes;

/** kindOf names the kind of a write that may wait; undefined for all others. */
export const kindOf = (method: string, endpoint: string): Stored | undefined =>
  (Object.keys(routes) as Stored[]).find(
    (kind) => routes[kind].method === method && routes[kind].endpoint.test(endpoint),
  );

const checks = /^\/(public\/files\/[^/]+\/verify|paste\/[^/]+)$/;

/** isCheck tells the check of a share's password, which would mean nothing later. */
export const isCheck = (method: string, endpoint: string) => method === 'POST' && checks.test(endpoint);

interface Write {
  kind: Stored;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body: Record<string, unknown>;
  etag: string;
  idempotencyKey: string;
  authType: QueueItem['authType'];
  tell?: boolean;
}

/** enqueue puts a write at the end of the queue. A password is left out and asked for when the write is sent. */
export async function enqueue(write: Write): Promise<void> {
  const { kind, path, body, etag, idempotencyKey, authType, tell } = write;
  const { password, ...data } = body;
  const db = await database();
  const item: QueueItem = {
    id: newIdempotencyKey(),
    type: kind,
    timestamp: await nextTime(),
    status: password ? 'needs_input' : 'pending',
    data,
    endpoint: path,
    method: routes[kind].method,
    authToken: '',
    authType,
    account: accountOf(),
    idempotencyKey: idempotencyKey || newIdempotencyKey(),
    etag,
    guarded: Boolean(password),
    ...(tell && { tell }),
    tries: 0,
    reason: '',
  };
  // What somebody has written goes before copies of what can be read again.
  const put = () => db.put('offlineQueue', item);
  await put().catch(() => makeRoom(true).then(put));
  changed();
  await registerSync().catch(() => undefined);
}

/** nextTime is now, or later: the order must hold although clocks are coarse and are put back. */
async function nextTime(): Promise<number> {
  const { store } = (await database()).transaction('offlineQueue');
  const last = await store.index('order').openKeyCursor(null, 'prev');
  return Math.max(Date.now(), (last?.key ?? 0) + 1);
}

async function registerSync(): Promise<void> {
  const registration = (await navigator.serviceWorker?.getRegistration()) as
    (ServiceWorkerRegistration & { sync?: { register: (tag: string) => Promise<void> } }) | undefined;
  await registration?.sync?.register(syncTag);
}

// Checks of passwords that were asked for offline: in this page's memory, without the password, to be asked again.
let asked: QueueItem[] = [];

/** noteCheck remembers that a password is to be checked again when the network is back. */
export function noteCheck(endpoint: string): void {
  const item: QueueItem = {
    id: newIdempotencyKey(),
    type: 'verifyFilePassword',
    timestamp: Date.now(),
    status: 'needs_input',
    data: {},
    endpoint,
    method: 'POST',
    authToken: '',
    authType: 'none',
    account: accountOf(),
    idempotencyKey: '',
    etag: '',
    tries: 0,
    reason: '',
  };
  asked = [...asked.filter((other) => other.endpoint !== endpoint), item];
  changed();
}

/** takeChecks empties the list of checks and says how many there were. */
export function takeChecks(): number {
  const { length } = asked;
  asked = [];
  if (length > 0) announce();
  return length;
}

const version = makeStore(0);

/** queueVersion grows whenever the queue, which is kept in the database, is not what it was. */
export const queueVersion: Followed<number> = version;

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('pp-offline-queue') : undefined;
channel?.addEventListener('message', ({ data }: MessageEvent<{ sent?: Kind[] }>) => {
  announce();
  if (data.sent) announceSynced(data.sent);
});

const announce = () => version.set(version.get() + 1);

/** changed tells this page and the other tabs that the queue is not what it was. */
function changed(): void {
  announce();
  channel?.postMessage({});
}

const lastSentKey = 'pp.lastSent';
const isLastSent = (value: unknown): value is { at: number; kinds: Kind[] } =>
  typeof (value as { at?: unknown } | null)?.at === 'number' &&
  Array.isArray((value as { kinds?: unknown }).kinds);

/** catchUp announces what another tab has sent while this page was being opened. */
export function catchUp(): void {
  const last = readStoredJson(lastSentKey, isLastSent);
  if (last && last.at > performance.timeOrigin) announceSynced(last.kinds);
}

/** waiting lists the writes of the account that is signed in, oldest first. */
export async function waiting(account = accountOf()): Promise<QueueItem[]> {
  const all = await (await database()).getAllFromIndex('offlineQueue', 'order');
  return [...all, ...asked].filter((item) => item.account === account);
}

/** discard takes a write off the queue for good. */
export async function discard(id: string): Promise<void> {
  asked = asked.filter((item) => item.id !== id);
  await (await database()).delete('offlineQueue', id);
  changed();
}

/** discardAll empties the queue of an account. */
export async function discardAll(account = accountOf()): Promise<void> {
  for (const { id } of await waiting(account)) await (await database()).delete('offlineQueue', id);
  changed();
}

const isGuarded = ({ guarded, status }: QueueItem) => guarded ?? status === 'needs_input';

const isTooOld = ({ timestamp }: QueueItem) => Date.now() - timestamp > sentWithin;

/** What may be changed of a waiting write. */
type Change = Partial<Pick<QueueItem, 'type' | 'method' | 'endpoint' | 'data' | 'etag' | 'guarded'>>;

/**
 * amend changes a waiting write and lets it be sent again. The changed write is another one, so it gets a new key; so is
 * one that is sent on purpose though it was too old to be sent by itself.
 */
export async function amend(id: string, change: Change): Promise<void> {
  const db = await database();
  const item = await db.get('offlineQueue', id);
  if (!item) return;
  const next = { ...item, ...change };
  const renewed = isTooOld(item);
  const isOther = renewed || change.data || change.etag !== undefined;
  await db.put('offlineQueue', {
    ...next,
    timestamp: renewed ? await nextTime() : item.timestamp,
    idempotencyKey: isOther ? newIdempotencyKey() : item.idempotencyKey,
    guarded: isGuarded(next),
    status: isGuarded(next) ? 'needs_input' : 'pending',
    tries: 0,
    reason: '',
    code: '',
  });
  changed();
}

/** isGone says that the text which a write changes is there no more, or not for this account. */
export const isGone = ({ type, status, code }: QueueItem) =>
  type === 'updatePaste' && status === 'failed' && code === 'not_found';

/**
 * asNew makes the change of a text that is gone a new text, with the terms that the change has named. Whether the
 * former one had a password nobody knows any more, so `guarded` says whether this one gets one.
 */
export function asNew(item: QueueItem, guarded: boolean): Change {
  const { content, newSlug: slug, remark, expiresAt, maxViews } = item.data;
  const { method } = routes.createPaste;
  const data = { content, slug, remark, expiresAt, maxViews };
  return {
    type: 'createPaste',
    method,
    endpoint: '/paste',
    etag: '',
    data,
    guarded: guarded || isGuarded(item),
  };
}

/** What was sent of the queue: the item and the server's answer. */
export interface Sent {
  item: QueueItem;
  answer: unknown;
}

export interface Drained {
  sent: Sent[];
  /** refused is how many the server has just refused; they wait for a decision. */
  refused: number;
}

let running: Promise<Drained> | undefined;

/** drain sends what waits, oldest first, in one tab at a time. `passwords` belong to items that ask for one. */
export function drain(passwords: Record<string, string> = {}): Promise<Drained> {
  const next = () =>
    navigator.locks
      ? navigator.locks.request('pp-offline-queue', () => sendAll(passwords))
      : sendAll(passwords);
  running = (running ?? Promise.resolve()).then(next, next) as Promise<Drained>;
  return running;
}

// Changes of one thing follow each other; each of the other kinds stands by itself.
const inOrder: readonly Kind[] = ['updatePaste', 'updateGroupSettings'];

async function sendAll(passwords: Record<string, string>): Promise<Drained> {
  const sent: Sent[] = [];
  let refused = 0;
  // A later change of the same thing waits until the earlier one is settled.
  const blocked = new Set<string>();
  for (const { id } of await waiting()) {
    // Read again: an earlier one may have changed what this one is based on, or the account may have left.
    const item = await (await database()).get('offlineQueue', id);
    if (!navigator.onLine || item?.account !== accountOf()) continue;
    const password = passwords[item.id];
    const due = ['pending', 'syncing', 'retry', 'needs_sign_in'].includes(item.status);
    // An attempt that was broken off has taken its password along; without one nothing protected is sent.
    if (due && isGuarded(item) && password === undefined) await mark(item, 'needs_input', '');
    const ready = isGuarded(item) ? password !== undefined : due;
    if (!ready || (inOrder.includes(item.type) && blocked.has(item.endpoint))) {
      blocked.add(item.endpoint);
      continue;
    }
    const outcome = await sendOne(item, password);
    if (outcome === undefined) {
      blocked.add(item.endpoint);
      const now = await (await database()).get('offlineQueue', id);
      if (now?.status === 'failed' || now?.status === 'conflict') refused++;
    } else sent.push({ item, answer: outcome.answer });
  }
  if (sent.length > 0) {
    const kinds = sent.map(({ item }) => item.type);
    announceSynced(kinds);
    channel?.postMessage({ sent: kinds });
    writeStored(lastSentKey, JSON.stringify({ at: Date.now(), kinds }));
  }
  return { sent, refused };
}

async function sendOne(first: QueueItem, password?: string): Promise<{ answer: unknown } | undefined> {
  let item = first;
  if (kindOf(item.method, item.endpoint) !== item.type) return mark(item, 'failed', 'unknown_call');
  if (isTooOld(item)) return mark(item, 'failed', 'too_old');
  for (let tries = item.tries + 1; ; tries++) {
    await mark({ ...item, guarded: isGuarded(item), tries }, 'syncing', '');
    // While it waited to be tried again it may have been given up or changed, or the account may have left.
    if (!(await isAsItWas(item)) || item.account !== accountOf()) return undefined;
    try {
      const { answer, tag } = await send(item, password);
      const refused = refusedSettings(item, answer);
      if (refused) return mark({ ...item, data: refused.data, tries }, 'failed', refused.reason);
      await settle(item, tag);
      return { answer };
    } catch (error) {
      const [status, reason] = verdict(item, error, tries);
      const code = error instanceof ApiError ? error.code : '';
      if (code === 'idempotency_reused' && tries <= retriesAtMost) {
        item = await withNewKey(item);
        continue;
      }
      const counted = status === 'pending' ? item.tries : tries;
      await mark({ ...item, guarded: isGuarded(item), tries: counted, code }, status, reason);
      if (status !== 'retry') return undefined;
      await new Promise((resolve) => setTimeout(resolve, waitBefore(tries)));
    }
  }
}

/**
 * withNewKey is for a write whose earlier attempt reached the server, though its answer was lost, and said something
 * else: with another password, or with the settings that were taken then. So this one is another write.
 */
async function withNewKey(item: QueueItem): Promise<QueueItem> {
  const next = { ...item, idempotencyKey: newIdempotencyKey() };
  const { store, done } = (await database()).transaction('offlineQueue', 'readwrite');
  const write = async () => {
    const now = await store.get(item.id);
    if (now?.idempotencyKey === item.idempotencyKey) await store.put(next);
  };
  // What a device without room still has under the old key is not sent now; it waits.
  await Promise.all([write(), done]).catch(() => undefined);
  return next;
}

/** isAsItWas says whether a write still waits, and holds what it held. */
async function isAsItWas({ id, idempotencyKey }: QueueItem): Promise<boolean> {
  const now = await (await database()).get('offlineQueue', id);
  return now?.idempotencyKey === idempotencyKey;
}

/** settle takes a sent write off the queue; later changes of the same thing are based on what the server has now. */
async function settle(item: QueueItem, tag: string): Promise<void> {
  const { store, done } = (await database()).transaction('offlineQueue', 'readwrite');
  await store.delete(item.id);
  if (item.etag && tag)
    for (const later of await store.getAll())
      if (later.endpoint === item.endpoint && later.account === item.account && later.etag === item.etag)
        await store.put({ ...later, etag: tag });
  await done;
  changed();
}

/** refusedSettings finds settings that the server has not taken: a group is saved one by one. */
function refusedSettings(item: QueueItem, answer: unknown) {
  if (item.type !== 'updateGroupSettings') return undefined;
  const { errors = [] } = (answer ?? {}) as { errors?: { key: string; error: string }[] };
  if (errors.length === 0) return undefined;
  const keys = errors.map(({ key }) => key);
  const data = Object.fromEntries(Object.entries(item.data).filter(([key]) => keys.includes(key)));
  return { data, reason: errors.map(({ key, error }) => `${key}: ${error}`).join('; ') };
}

async function send(item: QueueItem, password?: string): Promise<{ answer: unknown; tag: string }> {
  let tag = '';
  const options = {
    onTag: (etag: string) => (tag = etag),
    idempotencyKey: item.idempotencyKey,
    live: true,
    ...(item.etag && { headers: { 'If-Match': item.etag } }),
  };
  const body = password === undefined ? item.data : { ...item.data, password };
  const call = { PUT: api.put, DELETE: api.del, POST: api.post }[item.method];
  return { answer: await call<unknown>(item.endpoint, body, options), tag };
}

/** hasText says whether a write carries a text, of which two versions can stand beside each other. */
export const hasText = ({ type }: QueueItem) => type === 'createPaste' || type === 'updatePaste';

/** textOf is a field of a write or of an answer, "" when it is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** slugField is the field with the link suffix: changes of a text name it otherwise than new texts do. */
export const slugField = (item: QueueItem) => (item.type === 'createPaste' ? 'slug' : 'newSlug');

/** isTaken tells the conflict about a link suffix from the one about an older version. */
export const isTaken = (item: QueueItem) => item.code === 'slug_taken' || item.type === 'createPaste';

/** isOvertaken says that somebody saved something else before a write without a text: it goes on without its etag only. */
export const isOvertaken = ({ status, code }: QueueItem) =>
  status === 'failed' && code === 'precondition_failed';

/** verdict says what becomes of a write after a refusal. */
function verdict(item: QueueItem, error: unknown, tries: number): [Status, string] {
  if (!(error instanceof ApiError)) return ['failed', 'unknown'];
  if (error.failure === 'network' && !navigator.onLine) return ['pending', ''];
  const reason = error.message || error.code || error.failure;
  if (error.status === 401) return ['needs_sign_in', reason];
  // The first sending of the same write still runs on the server.
  const running = error.code === 'idempotency_running';
  if (!running && hasText(item) && (error.status === 409 || error.status === 412))
    return ['conflict', reason];
  const passing = running || error.failure !== '' || error.status === 429 || error.status >= 500;
  if (passing && tries <= retriesAtMost) return ['retry', reason];
  // The server cannot be reached although there is a network: nobody has refused anything.
  return error.failure === 'network' ? ['pending', ''] : ['failed', reason];
}

/** mark notes how a write fares, unless it was given up or changed meanwhile. */
async function mark(item: QueueItem, status: Status, reason: string): Promise<undefined> {
  const { store, done } = (await database()).transaction('offlineQueue', 'readwrite');
  const write = async () => {
    const now = await store.get(item.id);
    if (now?.idempotencyKey === item.idempotencyKey) await store.put({ ...item, status, reason });
  };
  // A device without room still sends: the key of the write keeps it from being applied twice.
  await Promise.all([write(), done]).catch(() => undefined);
  changed();
}
