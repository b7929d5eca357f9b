import { createServer, request as ask, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from '@playwright/test';
import { adminToken, createPaste, freshSlug, serverUrl } from './api';
import { violations } from './axe';
import { expect, openContext, test } from './fixtures';

/** A server in front of the program that can fail as a network does and can bring a newer service worker. */
class Line {
  down = false;
  newer = false;
  private readonly server: Server;
  readonly writes: string[] = [];

  constructor() {
    const { hostname, port } = new URL(serverUrl());
    this.server = createServer((from, to) => {
      if (this.down) return void from.socket.destroy();
      if (from.method !== 'GET') this.writes.push(`${from.method} ${from.url}`);
      const headers = { ...from.headers, 'accept-encoding': 'identity' };
      delete headers['if-none-match'];
      const on = ask({ hostname, port, path: from.url, method: from.method, headers }, (answer) => {
        const changed = this.newer && from.url?.endsWith('/sw.js');
        const { 'content-length': length, etag, ...rest } = answer.headers;
        to.writeHead(
          answer.statusCode ?? 502,
          changed ? rest : { ...rest, ...(length && { 'content-length': length }), ...(etag && { etag }) },
        );
        if (!changed) return void answer.pipe(to);
        answer.pipe(to, { end: false });
        answer.on('end', () => to.end('\n// newer'));
      });
      on.on('error', () => from.socket.destroy());
      from.pipe(on);
    });
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

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

let line: Line;
let origin: string;
test.use({ serviceWorkers: 'allow' });
test.beforeEach(async () => {
  line = new Line();
  origin = await line.open();
});
test.afterEach(() => line.close());

/** controlled waits until the worker answers for the page. */
const controlled = (page: Page) =>
  page.waitForFunction(() =>
    navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null),
  );

/** stored reads everything that the app keeps in its databases and caches. */
const stored = (page: Page) =>
  page.evaluate(async () => {
    const found: string[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      // Workbox's list of when it used which script of the app.
      if (name === 'workbox-expiration') continue;
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
      if (name.startsWith('workbox-precache')) continue;
      for (const { url } of await (await caches.open(name)).keys()) found.push(`${name} ${url}`);
    }
    return found;
  });

test('the app can be installed; "later" is remembered', async ({ browser }) => {
  const context = await openContext(browser, { origin });
  const page = await context.newPage();
  await page.goto('/');
  await controlled(page);
  const session = await context.newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // A private profile cannot install anything; that is the only complaint.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
    [],
  );
  await page.evaluate(() => {
    const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
      prompt: () => Promise.resolve(),
      userChoice: Promise.resolve({ outcome: 'dismissed' }),
    });
    dispatchEvent(event);
  });
  await expect(page.getByRole('heading', { name: 'Install as an app' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Later' }).click();
  await expect(page.getByRole('heading', { name: 'Install as an app' })).toBeHidden();
  expect(Number(await page.evaluate(() => localStorage.getItem('pp.installLater')))).toBeGreaterThan(0);
  await context.close();
});

test('what was read opens without a network, but nothing protected or counted', async ({ browser }) => {
  const open = await createPaste({ content: 'read in a tunnel', slug: freshSlug() });
  const counted = await createPaste({ content: 'three times only', slug: freshSlug(), maxViews: 3 });
  const context = await openContext(browser, { origin });
  const page = await context.newPage();
  await page.goto('/');
  await controlled(page);
  await page.goto(`/paste/${counted.slug}`);
  await expect(page.getByText('three times only')).toBeVisible();
  await page.goto(`/paste/${open.slug}`);
  await expect(page.getByText('read in a tunnel')).toBeVisible();
  await expect.poll(() => stored(page).then((rows) => rows.join('\n'))).toContain('read in a tunnel');
  expect((await stored(page)).join('\n')).not.toContain('three times only');

  await line.cut(context, true);
  await expect(page.getByText('You are offline, some functions are limited')).toBeVisible();
  await page.reload();
  await expect(page.getByText('read in a tunnel')).toBeVisible();
  await page.getByRole('button', { name: 'Offline' }).click();
  await expect(page.getByRole('dialog', { name: 'App on this device' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.goto(`/paste/${counted.slug}`);
  await expect(page.getByText('Network connection failed, check your settings')).toBeVisible();
  await context.close();
});

test('writes made offline wait, survive the browser, and are sent once', async ({ browser }) => {
  const slug = freshSlug();
  const token = await adminToken();
  const context = await openContext(browser, { origin, admin: true });
  let page = await context.newPage();
  await page.goto('/');
  await controlled(page);
  await expect(page.getByLabel('Text to share')).toBeVisible();
  await line.cut(context, true);
  await page.getByLabel('Text to share').fill('written on a mountain');
  await page.getByLabel(/Link suffix|Custom link/).fill(slug);
  await page.getByRole('button', { name: /^Share|^Create/ }).click();
  await expect(page.getByRole('button', { name: '1 change waits' })).toBeVisible();
  const rows = await stored(page);
  expect(rows.some((row) => row.startsWith('offlineQueue') && row.includes('written on a mountain'))).toBe(
    true,
  );
  expect(rows.join('\n')).not.toContain(token);
  await page.getByRole('button', { name: '1 change waits' }).click();
  await expect(page.getByRole('dialog', { name: 'Waiting changes' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.close();

  await line.cut(context, false);
  page = await context.newPage();
  const second = await context.newPage();
  await Promise.all([page.goto('/'), second.goto('/upload')]);
  await expect
    .poll(() => stored(page).then((all) => all.filter((row) => row.startsWith('offlineQueue'))))
    .toEqual([]);
  expect(line.writes.filter((write) => write === 'POST /api/paste')).toHaveLength(1);
  await page.goto(`/paste/${slug}`);
  await expect(page.getByText('written on a mountain')).toBeVisible();

  // Signing out leaves nothing behind.
  await expect.poll(() => stored(page).then((all) => all.join('\n'))).toContain('written on a mountain');
  await page.getByRole('button', { name: 'Admin', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByText('You are signed out')).toBeVisible();
  await expect.poll(() => stored(page)).toEqual([]);
  await context.close();
});

test('a newer version waits for the person, and for what is not saved', async ({ browser }) => {
  const context = await openContext(browser, { origin, language: 'zh-CN', phone: true });
  const page = await context.newPage();
  await page.goto('/');
  await controlled(page);
  line.newer = true;
  await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
  await expect(page.getByRole('heading', { name: '新版本已就绪' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const before = await page.evaluate(() => performance.timeOrigin);
  await page.getByRole('button', { name: '立即更新' }).click();
  await expect.poll(() => page.evaluate(() => performance.timeOrigin).catch(() => before)).not.toBe(before);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('heading', { name: '新版本已就绪' })).toBeHidden();
  await context.close();
});
