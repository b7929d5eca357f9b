import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserType } from '@playwright/test';
import { adminToken, bits, createFile, createKey, createPaste, freshSlug, serverUrl } from './api';
import { violations } from './axe';
import { expect, openContext } from './fixtures';
import { age, asAdmin, controlled, everything, forgetUpload, idOf, queued, stored, test } from './line';
import { wordsOf } from './words';

test.use({ serviceWorkers: 'allow' });

/** launch opens a browser whose profile outlives it. */
async function launch(folder: string, browser: BrowserType, origin: string) {
  const { launchOptions } = test.info().project.use;
  return browser.launchPersistentContext(folder, {
    ...launchOptions,
    baseURL: origin,
    locale: 'en-US',
    serviceWorkers: 'allow',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
}

/** A browser without Background Sync, as Firefox and Safari are. */
const withoutSync = () => {
  Reflect.deleteProperty(globalThis, 'SyncManager');
  if ('ServiceWorkerRegistration' in globalThis)
    Reflect.deleteProperty(ServiceWorkerRegistration.prototype, 'sync');
};

test('the app can be installed, takes what is shared with it, and says "later" for long', async ({
  browser,
  origin,
}) => {
  const context = await openContext(browser, { origin });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const file = new File(['# Opened from a folder'], 'note.md');
    const launchQueue = {
      setConsumer: (consumer: (params: unknown) => void) =>
        consumer({ files: [{ getFile: () => Promise.resolve(file) }] }),
    };
    Object.defineProperty(globalThis, 'launchQueue', { value: launchQueue });
  });
  await page.goto('/');
  await controlled(page);
  const session = await context.newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // A private profile cannot install anything; that is the only complaint.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
    [],
  );
  const { errors, data = '' } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data) as Record<string, unknown>;
  expect(manifest.orientation).toBeUndefined();
  expect(manifest).toMatchObject({
    id: '/',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    launch_handler: { client_mode: 'navigate-existing' },
    share_target: { action: '/share-target', method: 'POST' },
    file_handlers: [{ action: '/?open' }],
  });
  await page.evaluate(() => {
    const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
      prompt: () => Promise.resolve(),
      userChoice: Promise.resolve({ outcome: 'dismissed' }),
    });
    dispatchEvent(event);
  });
  const card = page.getByRole('heading', { name: 'Install as an app' });
  await expect(card).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Later' }).click();
  await expect(card).toBeHidden();
  const days = await page.evaluate(() => Number(localStorage.getItem('pp.installLater')));
  expect(days).toBeGreaterThan(0);

  // A text from another app opens Home, a file the upload page, a file of the system the editor.
  const share = (text: string, file: string) =>
    page.evaluate(
      ({ text, file }) => {
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', action: '/share-target', enctype: 'multipart/form-data' });
        const field = document.createElement('input');
        Object.assign(field, { name: 'text', value: text });
        form.append(field);
        if (file) {
          const files = document.createElement('input');
          const list = new DataTransfer();
          list.items.add(new File(['bytes'], file, { type: 'image/png' }));
          Object.assign(files, { name: 'files', type: 'file', files: list.files });
          form.append(files);
        }
        document.body.append(form);
        form.submit();
      },
      { text, file },
    );
  await share('shared from another app', '');
  await expect(page.getByLabel('Text to share')).toHaveValue('shared from another app');
  expect(new URL(page.url()).search).toBe('');
  await page.evaluate((token) => localStorage.setItem('admin_token', token), await adminToken());
  await share('', '照片 1.png');
  await expect(page.getByLabel('Name of 照片 1.png')).toBeVisible();
  expect(new URL(page.url()).pathname).toBe('/upload');
  expect((await stored(page)).filter((row) => row.startsWith('pp-shared '))).toEqual([]);
  await page.goto('/?open');
  await expect(page.getByText('Opened from a folder').first()).toBeVisible();
  await context.close();

  // iPhones have no such offer; there the card says how.
  const phone = await browser.newContext({
    baseURL: origin,
    locale: 'zh-CN',
    viewport: { width: 375, height: 812 },
    userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1',
  });
  const small = await phone.newPage();
  await small.goto('/');
  await expect(small.getByText('点按浏览器的分享按钮，然后选择“添加到主屏幕”。')).toBeVisible();
  await phone.close();
});

test('what was read opens without a network, but nothing protected or counted', async ({
  browser,
  line,
  origin,
}) => {
  const open = await createPaste({ content: 'read in a tunnel', slug: freshSlug() });
  const counted = await createPaste({ content: 'three times only', slug: freshSlug(), maxViews: 3 });
  const locked = freshSlug();
  await createFile('locked.txt', new TextEncoder().encode('x'), { slug: locked, password: 'open sesame' });
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
  await expect(page.getByText('You’re offline. Some features are limited.')).toBeVisible();
  await page.reload();
  await expect(page.getByText('read in a tunnel')).toBeVisible();
  await page.getByRole('button', { name: 'Offline', exact: true }).click();
  const status = page.getByRole('dialog', { name: 'Offline & app' });
  await expect(status).toBeVisible();
  for (const fact of ['Network', 'Installed', 'Service worker', 'Version', 'Notifications'])
    await expect(status.getByText(fact, { exact: true })).toBeVisible();
  await expect(status.getByText('running', { exact: true })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.goto(`/paste/${counted.slug}`);
  await expect(page.getByText('Can’t reach the server. Check your connection.')).toBeVisible();

  // The check of a password is not kept for later.
  await line.cut(context, false);
  await page.goto(`/file/${locked}`);
  await page.getByLabel('Password', { exact: true }).fill('open sesame');
  await line.cut(context, true);
  await page.getByLabel('Password', { exact: true }).press('Enter');
  const later = 'You’re offline. Passwords aren’t stored, so try again when you’re back online.';
  await expect(page.getByText(later).first()).toBeVisible();
  await page.getByRole('button', { name: '1 change pending' }).click();
  await expect(page.getByText('Password check of a share')).toBeVisible();
  expect(await queued(page)).toEqual([]);
  expect(await everything(page)).not.toContain('open sesame');
  await page.keyboard.press('Escape');
  await line.cut(context, false);
  await expect(page.getByText(/^You’re back online. Enter the password again/)).toBeVisible();
  await expect(page.getByRole('button', { name: '1 change pending' })).toBeHidden();

  // What gets a password leaves no copy.
  const id = await idOf(open.slug);
  await asAdmin('PUT', `/pastes/${id}`, { content: 'read in a tunnel', password: 'from now on' });
  await page.goto(`/paste/${open.slug}`);
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
  await expect.poll(() => stored(page).then((rows) => rows.join('\n'))).not.toContain('read in a tunnel');
  await asAdmin('PUT', `/pastes/${id}`, { content: 'read in a tunnel', clearPassword: true });

  // A device without room keeps no copies, says so once, and works on.
  await context.addInitScript(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  const full = page.getByText('Not enough space for offline copies. Everything else works.');
  await page.goto(`/paste/${open.slug}`);
  await expect(page.getByText('read in a tunnel')).toBeVisible();
  await expect(full).toHaveCount(1);
  await context.close();
});

test('panel and explorer open without a network; the offline database of an earlier version is taken over', async ({
  browser,
  line,
  origin,
}) => {
  const say = await wordsOf('en-US');
  const context = await openContext(browser, {
    origin,
    admin: true,
    stored: { 'pp.own.searches': JSON.stringify([{ query: 'before the move', timestamp: 1 }]) },
  });
  const page = await context.newPage();
  // The first version had no queue.
  await page.goto('/robots.txt');
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('pasteport-offline', 1);
        opening.onupgradeneeded = () => {
          for (const store of ['pastes', 'files', 'directories'])
            opening.result.createObjectStore(store, { keyPath: ['account', 'path'] });
          opening.result.createObjectStore('settings', { keyPath: ['account', 'key'] });
          const searches = opening.result.createObjectStore('searchHistory', {
            keyPath: ['account', 'query'],
          });
          searches.put({ account: 'admin', query: 'from version one', timestamp: Date.now() });
          searches.put({ account: 'key:other', query: 'of somebody else', timestamp: Date.now() });
        };
        opening.onsuccess = () => {
          opening.result.close();
          resolve();
        };
        opening.onerror = () => reject(new Error('not made'));
      }),
  );
  await page.goto('/mount-explorer');
  await controlled(page);
  const folder = page.getByRole('link', { name: 'local' }).first();
  await expect(folder).toBeVisible();
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: say('explorerDialogs.search.title') });
  await expect(dialog.getByRole('button', { name: 'from version one' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'before the move' })).toBeVisible();
  await expect(dialog.getByText('of somebody else')).toHaveCount(0);
  expect(await page.evaluate(() => localStorage.getItem('pp.own.searches'))).toBeNull();
  const databases = await page.evaluate(() => indexedDB.databases());
  expect(databases.find(({ name }) => name === 'pasteport-offline')?.version).toBe(2);
  expect(await queued(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await folder.click();
  await expect(page).toHaveURL(/\/mount-explorer\/local/);
  await expect.poll(() => stored(page).then((rows) => rows.join('\n'))).toContain('/fs/list?path=%2Flocal');
  await page.goto('/admin/text-management');
  await expect(page.getByRole('searchbox')).toBeVisible();
  await expect.poll(() => stored(page).then((rows) => rows.join('\n'))).toContain('/pastes?');

  await line.cut(context, true);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: say('admin.pages.texts') })).toBeVisible();
  await expect(page.getByRole('searchbox')).toBeVisible();
  await page.goto('/mount-explorer');
  await expect(folder).toBeVisible();
  // What strangers are sent to is there, too, and says why it shows nothing.
  for (const place of ['collection', 'r']) {
    await page.goto(`/${place}/never-seen`);
    await expect(
      page.getByText(say('errors.http.network')).or(page.getByText(say('app.lazy.offlineBody'))),
    ).toBeVisible();
  }
  await page.goto('/mount-explorer');
  await expect(folder).toBeVisible();

  // A page that was never loaded says so and comes by itself when the network is back.
  await forgetUpload(page);
  await page.getByRole('banner').getByRole('link', { name: 'Upload' }).click();
  await expect(page.getByRole('heading', { name: say('app.lazy.offlineTitle') })).toBeVisible();
  await expect(page.getByText(say('app.lazy.offlineToast', { page: 'Upload' }))).toBeVisible();
  for (const name of ['common.retry', 'app.lazy.back'])
    await expect(page.getByRole('alert').getByRole('button', { name: say(name) })).toBeVisible();
  await expect(page.getByRole('alert').getByRole('link', { name: 'Home' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await line.cut(context, false);
  await expect(page.getByRole('heading', { level: 1, name: say('file.heading') })).toBeVisible();

  // Whoever signs out is asked what becomes of what still waits. What is kept waits for that account alone.
  const write = async (text: string) => {
    await line.cut(context, true);
    await page.getByLabel('Text to share').fill(text);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await expect(page.getByRole('button', { name: '1 change pending' })).toBeVisible();
  };
  const leave = async (who: string, answer: string) => {
    await page.getByRole('button', { name: who, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: say(answer) }).click();
    await expect(page.getByText('You’re signed out')).toBeVisible();
    await line.cut(context, false);
  };
  await page.goto('/');
  await controlled(page);
  await write('kept for the admin');
  await leave('Admin', 'pwa.queue.signOutKeep');
  const name = freshSlug();
  const key = await createKey(name, bits.TEXT);
  await page.evaluate((kept) => localStorage.setItem('api_key', kept), key);
  await page.goto('/');
  await controlled(page);
  await expect(page.getByRole('button', { name: say('app.who.key', { name }) })).toBeVisible();
  await write('never sent');
  const both = await queued(page);
  expect(both).toHaveLength(2);
  expect(both.join('\n')).not.toContain(key);
  await leave(say('app.who.key', { name }), 'pwa.queue.signOutDiscard');
  expect(await queued(page)).toEqual([expect.stringContaining('kept for the admin')]);
  await page.evaluate((token) => localStorage.setItem('admin_token', token), await adminToken());
  await page.goto('/');
  await expect.poll(() => queued(page)).toEqual([]);
  expect(line.count('POST /api/paste')).toBe(1);
  await context.close();
});

test('each kind of write waits, survives the browser, and is applied once', async ({
  playwright,
  line,
  origin,
}) => {
  const say = await wordsOf('en-US');
  const family = freshSlug();
  const slug = (name: string) => `${family}-${name}`;
  for (const name of ['change', 'gone-a', 'gone-b', 'last'])
    await createPaste({ content: `text ${name}`, slug: slug(name) });
  await createPaste({ content: 'read once', slug: slug('used'), maxViews: 1 });
  expect((await fetch(`${serverUrl()}/api/paste/${slug('used')}`)).status).toBe(200);
  const usedUp = await idOf(slug('used'));
  const changed = await idOf(slug('change'));
  const token = await adminToken();
  const secret = `never kept ${family}`;
  const folder = mkdtempSync(join(tmpdir(), 'pasteport-profile-'));
  let context = await launch(folder, playwright.chromium, origin);
  try {
    await context.addInitScript(withoutSync);
    await context.addInitScript((kept) => localStorage.setItem('admin_token', kept), token);
    await context.addInitScript(() => {
      localStorage.setItem('pp.editorMode', 'plain');
      // A profile that is kept can really be installed; the card would lie over the panel's menu.
      localStorage.setItem('pp.installLater', String(Date.now()));
    });
    let page = await context.newPage();
    // Everything that is used offline is looked at first.
    await page.goto('/admin');
    await controlled(page);
    const menu = (key: string) =>
      page.getByRole('link', { name: say(`admin.pages.${key}`), exact: true }).click();
    const clearCache = page.getByRole('button', { name: say('admin.dashboard.caches.clear'), exact: true });
    await expect(clearCache).toBeVisible();
    await page.getByRole('button', { name: say('admin.groups.settings'), exact: true }).click();
    await menu('preview');
    const list = page.getByLabel(say('admin.settings.labels.preview_text_types'), { exact: true }).last();
    await expect(list).toBeVisible();
    await page.goto('/');
    await expect(page.getByLabel('Text to share')).toBeVisible();
    await page.goto('/admin/text-management');
    await page.getByRole('searchbox').fill(family);
    const row = (name: string) => page.getByRole('row').filter({ hasText: slug(name) });
    await expect(row('last')).toBeVisible();
    const edit = () =>
      row('change')
        .getByRole('button', { name: say('admin.share.edit') })
        .click();
    await edit();
    const remark = page.getByRole('dialog').getByLabel(say('share.form.remark'));
    await expect(remark).toBeVisible();

    await line.cut(context, true);
    const waits = page.getByText(say('errors.http.queued'));
    // Two changes of the same text: the second is based on the first.
    await remark.fill('first change');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: say('admin.form.save'), exact: true })
      .click();
    await expect(page.getByRole('button', { name: '1 change pending' })).toBeVisible();
    await expect(waits).toBeVisible();
    await edit();
    await remark.fill('second change');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: say('admin.form.save'), exact: true })
      .click();
    await expect(page.getByRole('button', { name: '2 changes pending' })).toBeVisible();
    for (const name of ['gone-a', 'gone-b']) await row(name).getByRole('checkbox').check();
    await page
      .getByRole('button', { name: say('admin.list.doMany', { what: say('common.delete'), count: 2 }) })
      .click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: say('common.delete'), exact: true })
      .click();
    await expect(page.getByRole('button', { name: '4 changes pending' })).toBeVisible();
    await page.getByRole('button', { name: say('admin.texts.clearExpired') }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: say('admin.texts.clearExpired'), exact: true })
      .click();
    await expect(page.getByRole('button', { name: '5 changes pending' })).toBeVisible();
    await menu('preview');
    const before = await list.inputValue();
    const own = `x${family.slice(-6).replaceAll('-', '')}`;
    await list.fill(`${before},${own}`);
    await page.getByRole('button', { name: say('admin.form.save'), exact: true }).click();
    await expect(page.getByRole('button', { name: '6 changes pending' })).toBeVisible();
    // A page that was never loaded says why it is not there.
    await menu('keys');
    await expect(page.getByRole('alert').filter({ hasText: say('app.lazy.offlineTitle') })).toBeVisible();
    await menu('dashboard');
    await clearCache.click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: say('admin.dashboard.caches.clear') })
      .click();
    await expect(page.getByRole('button', { name: '7 changes pending' })).toBeVisible();
    await page.getByRole('banner').getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByLabel('Text to share').fill('written on a mountain');
    await page.getByRole('button', { name: 'Custom link' }).click();
    await page.getByLabel(/Link suffix|Custom link/).fill(slug('made'));
    await page.getByRole('button', { name: /^Share|^Create/ }).click();
    await expect(page.getByRole('button', { name: '8 changes pending' })).toBeVisible();
    await page.getByLabel('Text to share').fill('behind a door');
    await page.getByLabel(/Link suffix|Custom link/).fill(slug('locked'));
    await page.getByLabel('Password (optional)').fill(secret);
    await page.getByRole('button', { name: /^Share|^Create/ }).click();
    await expect(page.getByRole('button', { name: '9 changes pending' })).toBeVisible();
    const rows = await queued(page);
    expect(rows).toHaveLength(9);
    for (const kept of [token, secret]) expect(rows.join('\n')).not.toContain(kept);
    expect(rows.join('\n')).not.toMatch(/Bearer|ApiKey|"password":/);
    // The token stands where §6 puts it and nowhere else; the password is in no place.
    expect((await everything(page)).split(token)).toHaveLength(2);
    expect(await everything(page)).not.toContain(secret);
    await page.getByRole('button', { name: '9 changes pending' }).click();
    await expect(page.getByRole('dialog', { name: 'Pending changes' }).getByRole('listitem')).toHaveCount(9);
    expect(await violations(page)).toEqual([]);
    expect(line.writes.filter((write) => !write.includes('/upload'))).toEqual([]);
    await context.close();

    // Opened again with a network: sent at start, by one of two tabs, in order, once each.
    await line.cut(context, false).catch(() => undefined);
    context = await launch(folder, playwright.chromium, origin);
    await context.addInitScript(withoutSync);
    page = await context.newPage();
    const second = await context.newPage();
    await Promise.all([
      page.goto(`/admin/text-management?filter=${encodeURIComponent(JSON.stringify({ q: family }))}`),
      second.goto('/'),
    ]);
    await expect.poll(() => queued(page).then((left) => left.length)).toBe(1);
    expect(await queued(page)).toEqual([expect.stringContaining('"status":"needs_input"')]);
    expect(line.count('POST /api/paste')).toBe(1);
    expect(line.count(`PUT /api/pastes/${changed}`)).toBe(2);
    // The list deletes each row by itself.
    expect(line.count('DELETE /api/pastes/batch-delete')).toBe(2);
    for (const once of [
      'POST /api/admin/pastes/clear-expired',
      'PUT /api/admin/settings/group/2',
      'POST /api/admin/cache/clear',
    ])
      expect(line.count(once), once).toBe(1);
    expect((await asAdmin('GET', `/pastes/${changed}`)).text).toContain('second change');
    for (const name of ['gone-a', 'gone-b'])
      expect((await asAdmin('GET', `/pastes/${slug(name)}`)).status).toBe(404);
    expect((await asAdmin('GET', `/pastes/${usedUp}`)).status).toBe(404);
    expect((await asAdmin('GET', '/admin/settings?group=2')).text).toContain(own);
    expect((await asAdmin('GET', `/pastes/${slug('made')}`)).text).toContain('written on a mountain');

    // The password is asked for, and the list shows what came of it without being loaded again.
    const born = await age(page);
    const row2 = (name: string) => page.getByRole('row').filter({ hasText: slug(name) });
    await expect(row2('made')).toBeVisible();
    await expect(row2('gone-a')).toHaveCount(0);
    await page.getByRole('button', { name: '1 change pending' }).click();
    await page.getByLabel('Password of the share').fill(secret);
    await page.getByRole('button', { name: 'Send with this password' }).click();
    await expect.poll(() => queued(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(row2('locked')).toBeVisible();
    expect((await asAdmin('GET', `/pastes/${slug('locked')}`)).text).toMatch(/"has_password":\s?true/);
    expect(await everything(page)).not.toContain(secret);

    // The page sends by itself when the network is back, and tells whoever looks at something else.
    await line.cut(context, true);
    await row2('last').getByRole('checkbox').check();
    await page
      .getByRole('button', { name: say('admin.list.doMany', { what: say('common.delete'), count: 1 }) })
      .click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: say('common.delete'), exact: true })
      .click();
    await expect(page.getByRole('button', { name: '1 change pending' })).toBeVisible();
    // A browser without a screen shows no messages, so what it is asked to show is written down.
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { get: () => true });
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
      ServiceWorkerRegistration.prototype.showNotification = (title) => {
        document.documentElement.dataset.told = title;
        return Promise.resolve();
      };
    });
    await second.close();
    await line.cut(context, false);
    // What passes is looked for first.
    await expect(page.getByText('1 offline change synced').first()).toBeVisible();
    await expect(row2('last')).toHaveCount(0);
    await expect(page.locator('html')).toHaveAttribute('data-told', '1 offline change synced');
    expect(await age(page)).toBe(born);

    // Put back what other flows read.
    await asAdmin('PUT', '/admin/settings/group/2', { preview_text_types: before });

    // After signing out nothing of anybody is left in the browser.
    await page.getByRole('button', { name: 'Admin', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page.getByText('You’re signed out')).toBeVisible();
    await expect.poll(() => stored(page)).toEqual([]);
    const kept = await everything(page);
    for (const mine of [token, secret, 'written on a mountain', family]) expect(kept).not.toContain(mine);
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
});

test('a newer version waits for the person, and for a transfer that runs', async ({
  browser,
  line,
  origin,
}) => {
  const wide = `${'A-name-without-a-space-'.repeat(6)}.txt`;
  await createFile(wide, new TextEncoder().encode('x'), { slug: freshSlug() });
  const context = await openContext(browser, { origin, language: 'zh-CN', phone: true, admin: true });
  const page = await context.newPage();
  await page.goto('/upload');
  await controlled(page);
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: 'slow.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(1000, 7),
    });
  line.through = 0;
  await page.getByRole('button', { name: /^上传/ }).last().click();
  await expect.poll(() => line.writes.some((write) => write.startsWith('PUT '))).toBe(true);
  line.newer = 1;
  await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
  const card = page.getByRole('heading', { name: '新版本已就绪' });
  await expect(card).toBeVisible();
  expect(await violations(page)).toEqual([]);
  // A long name among the newest files makes the page no wider; what is too wide anyway leaves the card in its place.
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  await page.evaluate(() => {
    const wide = document.createElement('div');
    Object.assign(wide.style, { width: '430px', height: '1px' });
    document.querySelector('main')?.append(wide);
  });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeGreaterThan(375);
  const strip = page.locator('aside > div').filter({ has: card });
  await expect.poll(() => strip.evaluate((foot) => foot.getBoundingClientRect().bottom)).toBe(812);
  const before = await age(page);
  await page.getByRole('button', { name: '立即更新' }).click();
  await expect(page.getByText('等待传输结束或文本保存后再更新。')).toBeVisible();
  // Until the transfer has ended the older version stays, with its worker.
  expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting !== null)).toBe(true);
  expect(await age(page)).toBe(before);
  line.release();
  await expect.poll(() => age(page).catch(() => before)).not.toBe(before);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(card).toBeHidden();
  await context.close();
});
