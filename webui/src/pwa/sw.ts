import { CacheableResponsePlugin } from 'workbox-cacheable-response';
import { ExpirationPlugin } from 'workbox-expiration';
import { addPlugins, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import type { WorkboxPlugin } from 'workbox-core';
import { registerRoute } from 'workbox-routing';
import { CacheFirst, NetworkFirst, NetworkOnly, StaleWhileRevalidate } from 'workbox-strategies';
import { pageAt, pages } from '../pages';
import { cacheNames as names, nameHeader, sharedAtHeader, sharedPlace } from '../shared/offline/cacheNames';
import { count } from '../shared/offline/db';
import { isRequest, syncTag, type SyncStatus } from './messages';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

const day = 24 * 60 * 60;
const base = new URL('./', self.location.href).pathname;
const under = (pathname: string) => (pathname.startsWith(base) ? pathname.slice(base.length) : undefined);

// A gateway that answers for the server, with a page to log in to it, must not stay in a cache as a part of the app.
const isPage = (type: string) => /^text\/html\b/i.test(type);
const isJson = (type: string) => /^application\/json\b/i.test(type);
const complete = new CacheableResponsePlugin({ statuses: [200] });
const only = (fits: (type: string, pathname: string) => boolean): WorkboxPlugin => ({
  cacheWillUpdate: ({ request, response }) =>
    Promise.resolve(
      fits(response.headers.get('Content-Type') ?? '', new URL(request.url).pathname) ? response : null,
    ),
});
const parts = [complete, only((type) => !isPage(type))];
const facts = [complete, only(isJson)];

addPlugins([complete, only((type, pathname) => pathname === base || !isPage(type))]);
precacheAndRoute(self.__WB_MANIFEST, { ignoreURLParametersMatching: [], directoryIndex: '' });

// Pages. Known ones only: everything else, downloads and raw texts first of all, goes to the server.
const isOwnPage = (path: string | undefined) => path !== undefined && pageAt(`/${path}`) !== pages.missing;
const shell = createHandlerBoundToURL('./?safe=1');
const page = new NetworkOnly({ networkTimeoutSeconds: 3 });
registerRoute(
  ({ request, url, sameOrigin }) =>
    sameOrigin && request.mode === 'navigate' && isOwnPage(under(url.pathname)),
  async (context) => page.handle(context).catch(() => shell(context)),
);

// What is not in the precache (editor, viewers, highlighting, fonts, the panel): kept when it is first used.
registerRoute(
  ({ url, sameOrigin }) => sameOrigin && (under(url.pathname) ?? '').startsWith('assets/'),
  new CacheFirst({
    cacheName: names.assets,
    plugins: [
      ...parts,
      new ExpirationPlugin({ maxEntries: 300, maxAgeSeconds: 30 * day, purgeOnQuotaError: true }),
    ],
  }),
);

// The app's own pictures.
registerRoute(
  ({ url, sameOrigin }) => sameOrigin && /^icons\/[^/]+\.png$/.test(under(url.pathname) ?? ''),
  new StaleWhileRevalidate({
    cacheName: names.images,
    plugins: [
      ...parts,
      new ExpirationPlugin({ maxEntries: 100, maxAgeSeconds: 7 * day, purgeOnQuotaError: true }),
    ],
  }),
);

// Three answers of the API that are the same for everybody. No other answer is ever kept here: what a signed-in
// person reads lies in the page's own database, by account.
const open = (request: Request) =>
  !request.headers.has('Authorization') && !request.headers.has('X-Custom-Auth-Key');
registerRoute(
  ({ request, url, sameOrigin }) =>
    sameOrigin && open(request) && under(url.pathname) === 'api/admin/settings' && url.search === '?group=4',
  new StaleWhileRevalidate({
    cacheName: names.site,
    plugins: [...facts, new ExpirationPlugin({ maxEntries: 1, maxAgeSeconds: day })],
  }),
);
registerRoute(
  ({ request, url, sameOrigin }) =>
    sameOrigin && open(request) && /^api\/(version|system\/max-upload-size)$/.test(under(url.pathname) ?? ''),
  new NetworkFirst({
    cacheName: names.facts,
    networkTimeoutSeconds: 3,
    plugins: [...facts, new ExpirationPlugin({ maxEntries: 2, maxAgeSeconds: 30 * 60 })],
  }),
);

// What another app shares with this one: a text goes to Home, files to the upload page. It rests in a cache of its
// own for the moment until the page takes it.
registerRoute(
  ({ url, sameOrigin }) => sameOrigin && under(url.pathname) === 'share-target',
  async ({ request }) => {
    const form = await request.formData();
    const files = form.getAll('files').filter((value) => value instanceof File);
    const words = ['title', 'text', 'url'].map((name) => form.get(name));
    const text = words.filter((word) => typeof word === 'string' && word !== '').join('\n');
    await caches.delete(names.shared);
    const cache = await caches.open(names.shared);
    const marks = { [sharedAtHeader]: String(Date.now()) };
    if (files.length === 0)
      await cache.put(sharedPlace(base, 'text'), new Response(text, { headers: marks }));
    for (const [at, file] of files.entries()) {
      const headers = { ...marks, 'Content-Type': file.type, [nameHeader]: encodeURIComponent(file.name) };
      await cache.put(sharedPlace(base, at), new Response(file, { headers }));
    }
    return Response.redirect(`${base}${files.length > 0 ? 'upload' : ''}?shared`, 303);
  },
  'POST',
);

// The new version waits until the person agrees (SKIP_WAITING). The first one takes the open page at once.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', (event) => {
  if (!isRequest(event.data)) return;
  switch (event.data.type) {
    case 'SKIP_WAITING':
      event.waitUntil(self.skipWaiting());
      break;
    case 'GET_SYNC_STATUS':
      event.waitUntil(status().then((answer) => event.ports[0]?.postMessage(answer)));
      break;
    case 'REGISTER_BACKGROUND_SYNC':
      event.waitUntil(
        register().then((done) => event.ports[0]?.postMessage({ type: 'SYNC_REGISTERED', done })),
      );
  }
});

async function status(): Promise<SyncStatus> {
  return {
    type: 'SYNC_STATUS',
    waiting: await count().catch(() => 0),
    backgroundSync: 'sync' in self.registration,
  };
}

interface SyncManager {
  register: (tag: string) => Promise<void>;
}

async function register(): Promise<boolean> {
  const { sync } = self.registration as ServiceWorkerRegistration & { sync?: SyncManager };
  return (
    (await sync?.register(syncTag).then(
      () => true,
      () => false,
    )) ?? false
  );
}

// The worker holds no credential, so it asks an open page to send what waits; without one the next start does.
self.addEventListener('sync', (event) => {
  const { tag, waitUntil } = event as ExtendableEvent & { tag: string };
  if (tag !== syncTag) return;
  waitUntil.call(
    event,
    self.clients
      .matchAll({ type: 'window' })
      .then((windows) => windows[0]?.postMessage({ type: 'DRAIN_QUEUE' })),
  );
});

// What the server tells this browser (adapters/notify/webpush.go), in the language in which it was asked to.
self.addEventListener('push', (event) => {
  const told = event.data?.json() as { id: string; title: string; site: string; page?: string } | undefined;
  if (!told) return;
  const { id, title, site, page: place } = told;
  const options = { body: site, tag: id, icon: `${base}icons/192.png`, data: place };
  event.waitUntil(self.registration.showNotification(title, options));
});

// A tapped message of the system leads to the app, and to the page that it tells of.
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const place: unknown = event.notification.data;
  const target = new URL(`.${typeof place === 'string' ? place : '/'}`, self.location.href);
  event.waitUntil(
    self.clients
      .matchAll({ type: 'window' })
      .then((windows) => (place ? windows.find(({ url }) => url.startsWith(target.href)) : windows[0]))
      .then((found) => (found ? found.focus() : self.clients.openWindow(target.href))),
  );
});
