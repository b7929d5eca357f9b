import {
  createServer,
  request as ask,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import type { BrowserContext, Page } from '@playwright/test';
import { adminToken, serverUrl } from './api';
import { test as watched } from './fixtures';

/**
 * A server in front of the program that can fail as a network does, can bring a newer service worker, and can keep
 * the bytes of uploads waiting.
 */
export class Line {
  down = false;
  /** newer is how many versions of the service worker have come since; each is another one. */
  newer = 0;
  /** through is how many uploads (PUT) still come through; those after them wait, until `release`. */
  through = Infinity;
  /** cuts breaks the line under those instead. */
  cuts = false;
  /** hold breaks the line for every write. */
  hold = false;
  /** gateway names the paths for which a page to log in to the network is answered, in the server's place. */
  gateway: RegExp | undefined;
  private readonly kept: (() => void)[] = [];
  private readonly server: Server;
  readonly writes: string[] = [];

  constructor(to = serverUrl()) {
    const { hostname, port } = new URL(to);
    this.server = createServer((from, to) => {
      if (this.down || (this.hold && from.method === 'POST')) return void from.socket.destroy();
      if (this.gateway?.test(from.url ?? '')) {
        to.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
        return void to.end('<!doctype html><title>Log in to the network</title>');
      }
      if (from.method !== 'GET') this.writes.push(`${from.method} ${from.url}`);
      const pass = (body: Readable) => this.pass(from, body, to, { hostname, port });
      if (from.method !== 'PUT' || this.through-- > 0) return pass(from);
      if (this.cuts) return void from.socket.destroy();
      // What waits is read, since only who reads is told that the browser has given up.
      const waiting = from.pipe(new PassThrough({ highWaterMark: 64 << 20 }));
      this.kept.push(() => from.socket.destroyed || pass(waiting));
    });
  }

  private pass(
    from: IncomingMessage,
    body: Readable,
    to: ServerResponse,
    server: { hostname: string; port: string },
  ) {
    const headers = { ...from.headers, 'accept-encoding': 'identity' };
    delete headers['if-none-match'];
    const on = ask({ ...server, path: from.url, method: from.method, headers }, (answer) => {
      const changed = this.newer > 0 && from.url?.endsWith('/sw.js');
      const { 'content-length': length, etag, ...rest } = answer.headers;
      to.writeHead(
        answer.statusCode ?? 502,
        changed ? rest : { ...rest, ...(length && { 'content-length': length }), ...(etag && { etag }) },
      );
      if (!changed) return void answer.pipe(to);
      answer.pipe(to, { end: false });
      answer.on('end', () => to.end(`\n// newer ${this.newer}`));
    });
    on.on('error', () => from.socket.destroy());
    from.on('close', () => from.complete || on.destroy());
    body.pipe(on);
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async cut(context: BrowserContext, down: boolean): Promise<void> {
    this.down = down;
    if (down) this.server.closeAllConnections();
    await context.setOffline(down);
  }

  /** count says how often a write has reached the server. */
  count = (write: string) => this.writes.filter((one) => one.split('?')[0] === write).length;

  /** parts is how many files, or parts of them, the browser has begun to send. */
  get parts(): number {
    return this.writes.filter((write) => write.startsWith('PUT /api/blob/')).length;
  }

  /** release lets the uploads go on that were kept waiting, and all after them come through. */
  release(): void {
    this.through = Infinity;
    for (const go of this.kept.splice(0)) go();
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

interface Behind {
  /** line lies between the browser and the program, and can be cut. */
  line: Line;
  /** origin is where the program is reached through the line. */
  origin: string;
}

/** test reaches the program through a line of its own. */
export const test = watched.extend<Behind>({
  // eslint-disable-next-line no-empty-pattern -- a fixture says here what it needs, which is nothing
  line: async ({}, provide) => {
    const line = new Line();
    await provide(line);
    line.close();
  },
  origin: async ({ line }, provide) => provide(await line.open()),
});

/** controlled waits until the worker answers for the page. */
export const controlled = (page: Page) =>
  page.waitForFunction(() =>
    navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null),
  );

/** forgetUpload makes the upload page one that this browser has never loaded. */
export async function forgetUpload(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const key of await cache.keys()) if (key.url.includes('/assets/upload-')) await cache.delete(key);
    }
  });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await session.detach();
}

/** kept reads everything that a page has in its databases and caches, bodies included, but for the app itself. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const found: string[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(new Error('not opened'));
      });
      for (const store of db.objectStoreNames) {
        const rows = await new Promise<unknown[]>((resolve, reject) => {
          const reading = db.transaction(store).objectStore(store).getAll();
          reading.onsuccess = () => resolve(reading.result as unknown[]);
          reading.onerror = () => reject(new Error('not read'));
        });
        found.push(...rows.map((row) => `${store} ${JSON.stringify(row)}`));
      }
      db.close();
    }
    for (const name of await caches.keys()) {
      const isApp = name.startsWith('workbox-precache') || name === 'pp-assets';
      const cache = await caches.open(name);
      for (const key of await cache.keys())
        found.push(`${name} ${key.url} ${isApp ? '' : await (await cache.match(key))?.text()}`);
    }
    return found;
  });

/** stored is what the app has put into its databases and caches, without the app's own files and when they were used. */
export const stored = (page: Page) =>
  kept(page).then((rows) => rows.filter((row) => !/^(workbox-precache|pp-assets |cache-entries )/.test(row)));

/** everything is whatever the browser holds of this origin, cookies and the names of files included. */
export async function everything(page: Page): Promise<string> {
  const cookies = await page.context().cookies();
  return [...(await kept(page)), await remembered(page), JSON.stringify(cookies)].join('\n');
}

export const queued = (page: Page) =>
  stored(page).then((rows) => rows.filter((row) => row.startsWith('offlineQueue ')));

/** remembered is what the browser keeps by name. */
const remembered = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));

/** age is when the page was loaded; it changes with every load. */
export const age = (page: Page) => page.evaluate(() => performance.timeOrigin);

/** asAdmin asks the program directly. */
export async function asAdmin(method: string, path: string, body?: unknown) {
  const response = await fetch(`${serverUrl()}/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${await adminToken()}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** idOf finds the id of a text. */
export const idOf = async (slug: string) => {
  const { text } = await asAdmin('GET', `/pastes/${slug}`);
  return (JSON.parse(text) as { data: { id: string } }).data.id;
};
