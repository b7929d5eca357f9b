import type { Locator, Page } from '@playwright/test';
import { adminToken, createPaste, freshSlug, putFile } from './api';
import { violations } from './axe';
import { expect, openContext } from './fixtures';
import { age, asAdmin, controlled, everything, forgetUpload, idOf, Line, queued, stored, test } from './line';
import { adminPassword, startProgram } from './program';
import { wordsOf } from './words';

test.use({ serviceWorkers: 'allow' });

const contentOf = async (id: string) =>
  (JSON.parse((await asAdmin('GET', `/pastes/${id}`)).text) as { data: { content: string } }).data.content;

test('a conflict shows both versions, and what is chosen is applied once', async ({
  browser,
  line,
  origin,
}) => {
  const say = await wordsOf('en-US');
  const family = freshSlug();
  const slug = (name: string) => `${family}-${name}`;
  for (const name of ['mine', 'theirs', 'taken', 'shut', 'gone'])
    await createPaste({ content: `first ${name}`, slug: slug(name) });
  const door = `behind the door of ${family}`;
  const mine = await idOf(slug('mine'));
  const theirs = await idOf(slug('theirs'));
  const gone = await idOf(slug('gone'));
  const context = await openContext(browser, { origin, admin: true });
  const page = await context.newPage();
  await page.goto('/');
  await controlled(page);
  await expect(page.getByLabel('Text to share')).toBeVisible();
  await page.goto(`/admin/text-management?filter=${encodeURIComponent(JSON.stringify({ q: family }))}`);
  const row = (name: string) => page.getByRole('row').filter({ hasText: slug(name) });
  const dialog = page.getByRole('dialog');
  const save = dialog.getByRole('button', { name: say('admin.form.save'), exact: true });
  const open = async (name: string) => {
    await row(name)
      .getByRole('button', { name: say('admin.share.edit') })
      .click();
    await dialog.getByText(say('admin.texts.editContent')).click();
  };
  // What is changed offline has been looked at before.
  for (const name of ['mine', 'theirs', 'gone']) {
    await open(name);
    await expect(dialog.getByLabel(say('admin.texts.content'))).toHaveValue(`first ${name}`);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }

  await line.cut(context, true);
  const waiting = (count: number) =>
    page.getByRole('button', { name: say('pwa.waiting', { smart_count: count }) });
  for (const [at, name] of ['mine', 'theirs', 'gone'].entries()) {
    await open(name);
    await dialog.getByLabel(say('admin.texts.content')).fill(`written here: ${name}`);
    await save.click();
    await expect(waiting(at + 1)).toBeVisible();
  }
  await page.getByRole('banner').getByRole('link', { name: 'Home', exact: true }).click();
  const share = async (text: string, suffix: string, password = '') => {
    await page.getByLabel('Text to share').fill(text);
    const link = page.getByLabel('Custom link');
    if (await link.isHidden()) await page.getByRole('button', { name: 'Custom link' }).click();
    await link.fill(suffix);
    if (password) await page.getByLabel('Password (optional)').fill(password);
    await page.getByRole('button', { name: /^Share|^Create/ }).click();
  };
  await share('for a taken suffix', slug('taken'));
  await expect(waiting(4)).toBeVisible();
  await share(door, slug('shut'), 'sesame');
  await expect(waiting(5)).toBeVisible();
  // Whoever has written something offline is led to where it waits.
  await page.getByRole('button', { name: say('errors.http.showQueue'), exact: true }).click();
  const queue = page.getByRole('dialog', { name: say('pwa.queue.title') });
  await expect(queue.getByRole('listitem')).toHaveCount(5);
  // The worker opens the same version of the database.
  const answer = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data);
        navigator.serviceWorker.controller?.postMessage({ type: 'GET_SYNC_STATUS' }, [port2]);
      }),
  );
  expect(answer).toEqual({ type: 'SYNC_STATUS', waiting: 5, backgroundSync: true });

  for (const [id, name] of [
    [mine, 'mine'],
    [theirs, 'theirs'],
  ])
    expect((await asAdmin('PUT', `/pastes/${id}`, { content: `meanwhile: ${name}` })).status).toBe(200);
  expect((await asAdmin('DELETE', '/pastes/batch-delete', { ids: [gone] })).status).toBe(200);
  await line.cut(context, false);
  const entry = (text: string) => queue.getByRole('listitem').filter({ hasText: text });
  for (const name of ['mine', 'theirs']) {
    const one = entry(`written here: ${name}`);
    await expect(one.getByText(say('pwa.state.conflict'))).toBeVisible();
    await expect(one.getByText(`meanwhile: ${name}`)).toBeVisible();
  }
  const taken = entry('for a taken suffix');
  await expect(taken.getByText(say('pwa.reason.slug_taken'))).toBeVisible();
  await expect(taken.getByText('first taken')).toBeVisible();
  // With its password it meets the taken suffix, and needs the password again afterwards.
  const shut = entry(door);
  const enter = async () => {
    await shut.getByLabel(say('pwa.queue.password')).fill('sesame');
    await shut.getByRole('button', { name: say('pwa.queue.send') }).click();
  };
  await enter();
  await expect(shut.getByText('first shut')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  expect((await queued(page)).join('\n')).not.toContain('sesame');

  // What was changed is gone; the change becomes a text of its own.
  const orphan = entry('written here: gone');
  await expect(orphan.getByText(say('pwa.reason.gone'))).toBeVisible();
  await orphan.getByRole('button', { name: say('pwa.queue.saveAsNew') }).click();
  await expect(queue.getByRole('listitem')).toHaveCount(4);
  await entry('written here: mine')
    .getByRole('button', { name: say('pwa.queue.keepMine') })
    .click();
  await expect(queue.getByRole('listitem')).toHaveCount(3);
  await entry('written here: theirs')
    .getByRole('button', { name: say('pwa.queue.keepTheirs') })
    .click();
  await expect(queue.getByRole('listitem')).toHaveCount(2);
  await taken.getByRole('button', { name: say('pwa.queue.useSlug') }).click();
  await expect(taken.getByText(say('pwa.queue.slugRule'))).toBeVisible();
  await taken.getByLabel(say('pwa.queue.newSlug')).fill(slug('own'));
  await taken.getByRole('button', { name: say('pwa.queue.useSlug') }).click();
  await expect(queue.getByRole('listitem')).toHaveCount(1);
  await shut.getByRole('button', { name: say('pwa.queue.anySlug') }).click();
  await expect(shut.getByText(say('pwa.state.needs_input'))).toBeVisible();
  expect(line.count('POST /api/paste')).toBe(4);
  await enter();
  await expect(queue.getByText(say('pwa.queue.empty'))).toBeVisible();

  expect(await contentOf(mine)).toBe('written here: mine');
  expect(line.count(`PUT /api/pastes/${mine}`)).toBe(2);
  expect(await contentOf(theirs)).toBe('meanwhile: theirs');
  expect(line.count(`PUT /api/pastes/${theirs}`)).toBe(1);
  expect(await contentOf(await idOf(slug('own')))).toBe('for a taken suffix');
  expect(line.count('POST /api/paste')).toBe(5);
  expect(line.count(`PUT /api/pastes/${gone}`)).toBe(1);
  const anew = await asAdmin('GET', `/pastes?search=${encodeURIComponent('written here: gone')}`);
  expect(anew.text).toContain('written here: gone');
  const { text } = await asAdmin('GET', `/pastes?search=${encodeURIComponent(door)}`);
  const made = (JSON.parse(text) as { data: { content?: string; has_password: unknown }[] }).data;
  expect(made.map(({ has_password }) => Boolean(has_password))).toEqual([true]);
  await context.close();
});

test('an update asks all tabs, waits for an unsaved text in one, and loses no draft', async ({
  browser,
  line,
  origin,
}) => {
  const say = await wordsOf('en-US');
  const context = await openContext(browser, { origin, admin: true });
  const first = await context.newPage();
  await first.goto('/');
  await controlled(first);
  const second = await context.newPage();
  await second.goto('/admin/settings/preview');
  const field = second.getByLabel(say('admin.settings.labels.preview_text_types'), { exact: true }).last();
  await expect(field).not.toHaveValue('');
  const before = await field.inputValue();
  await field.fill(`${before},unsaved`);
  await first.getByLabel('Text to share').fill('a draft of the first tab');

  line.newer = 1;
  await first.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
  const card = (page: Page) => page.getByRole('heading', { name: say('pwa.update.title') });
  await expect(card(first)).toBeVisible();
  await expect(card(second)).toBeVisible();
  const born = { first: await age(first), second: await age(second) };
  await first.getByRole('button', { name: say('pwa.update.yes') }).click();
  await expect(first.getByText(say('pwa.update.heldElsewhere'))).toBeVisible();
  expect(await first.evaluate(async () => (await navigator.serviceWorker.ready).waiting !== null)).toBe(true);
  expect(await age(first)).toBe(born.first);
  expect(await field.inputValue()).toBe(`${before},unsaved`);

  // Saved or taken back, nothing holds it any longer: both tabs show the new version, once each.
  await field.fill(before);
  for (const [page, at] of [
    [first, born.first],
    [second, born.second],
  ] as const)
    await expect.poll(() => age(page).catch(() => at)).not.toBe(at);
  await expect(first.getByLabel('Text to share')).toHaveValue('a draft of the first tab');
  await expect(field).toHaveValue(before);
  for (const page of [first, second]) {
    await controlled(page);
    await expect(card(page)).toBeHidden();
    expect(
      await page.evaluate(async () => {
        const { waiting, installing } = await navigator.serviceWorker.ready;
        return [waiting, installing];
      }),
    ).toEqual([null, null]);
  }
  await context.close();
});

test('a full device works without copies; with little room the old ones go first and what waits stays', async ({
  browser,
  line,
  origin,
}) => {
  const say = await wordsOf('en-US');
  const make = (name: string, size: number) =>
    createPaste({ content: `kept ${name} ${'x'.repeat(size)}`, slug: freshSlug() });
  const [older, newer, large] = await Promise.all([
    make('older', 20_000),
    make('newer', 20_000),
    make('large', 900_000),
  ]);
  const context = await openContext(browser, { origin, admin: true });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const room = async (bytes: number) => {
    const { usage } = await session.send('Storage.getUsageAndQuota', { origin });
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: Math.max(1, usage + bytes) });
  };
  const read = async ({ slug }: { slug: string }, name: string) => {
    await page.goto(`/paste/${slug}`);
    await expect(page.getByText(`kept ${name}`)).toBeVisible();
  };
  const all = () => stored(page).then((rows) => rows.join('\n'));
  // Counted as they come: on a busy machine a message may be gone again before the text behind it is drawn.
  await page.addInitScript((words) => {
    Object.assign(globalThis, { told: 0 });
    new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
        if (node.textContent?.includes(words)) (globalThis as unknown as { told: number }).told++;
    }).observe(document, { childList: true, subtree: true });
  }, say('pwa.noRoom'));
  const noRoom = () => page.evaluate(() => (globalThis as unknown as { told: number }).told);
  const share = async (text: string) => {
    await page.getByLabel('Text to share').fill(text);
    await page.getByRole('button', { name: /^Share|^Create/ }).click();
  };
  // The worker has its files when the device becomes full; a browser looks at the room before a database's first write.
  await page.goto('/robots.txt');
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/sw.js');
    await navigator.serviceWorker.ready;
  });
  await room(-1e9);
  await read(older, 'older');
  await expect.poll(noRoom).toBe(1);
  await page.goto('/');
  await controlled(page);
  await line.cut(context, true);
  await share('written without room');
  await expect(
    page.getByText(say('home.share.networkKept', { reason: say('errors.http.network') })),
  ).toBeVisible();
  await expect(page.getByLabel('Text to share')).toHaveValue('written without room');
  expect(await queued(page)).toEqual([]);

  // A little room: copies are kept, and a write waits.
  await room(600_000);
  await share('written while there was room');
  const one = page.getByRole('button', { name: say('pwa.waiting', { smart_count: 1 }) });
  await expect(one).toBeVisible();
  line.hold = true;
  await line.cut(context, false);
  for (const [paste, name] of [
    [older, 'older'],
    [newer, 'newer'],
  ] as const) {
    await read(paste, name);
    await expect.poll(all).toContain(`kept ${name}`);
  }
  await read(large, 'large');
  await expect.poll(noRoom).toBe(1);
  await expect.poll(all).not.toContain('kept older');
  expect(await all()).not.toContain('kept large');
  expect(await all()).toContain('written while there was room');
  // Sent in vain meanwhile, it is still there: nobody has refused it. It goes out by itself when the server answers.
  await one.click();
  const queue = page.getByRole('dialog', { name: say('pwa.queue.title') });
  await expect(
    queue.getByText(
      new RegExp(`${say('pwa.state.pending')}|${say('pwa.state.retry')}|${say('pwa.state.syncing')}`),
    ),
  ).toBeVisible();
  await expect(queue.getByText(say('pwa.state.failed'))).toHaveCount(0);
  line.hold = false;
  await expect(queue.getByText(say('pwa.queue.empty'))).toBeVisible({ timeout: 60_000 });
  expect(line.count('POST /api/paste')).toBe(1);
  await context.close();
});

test('small pictures open without a network, for who has seen them alone, until they sign out', async ({
  browser,
  line,
  origin,
}) => {
  const say = await wordsOf('en-US');
  const folder = freshSlug();
  // One pixel.
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await putFile(`/local/${folder}/seen.png`, new Uint8Array(picture));
  const context = await openContext(browser, {
    origin,
    admin: true,
    stored: { 'pp.explorer': JSON.stringify({ view: 'grid' }) },
  });
  const page = await context.newPage();
  await page.goto(`/mount-explorer/local/${folder}`);
  await controlled(page);
  const seen = page.locator('[role=gridcell] img');
  const shows = () => seen.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth > 0);
  await expect.poll(() => seen.count().then((count) => count === 1 && shows())).toBe(true);
  const pictures = (rows: string[]) => rows.filter((row) => row.startsWith('pp-thumbs '));
  await expect.poll(() => stored(page).then((rows) => pictures(rows).length)).toBe(1);
  expect(pictures(await stored(page))[0]).toContain('/thumbnails/admin/');
  // Opened whole by a signed link, it leaves neither the link nor what a signed-in person reads in a shared cache.
  await page.goto(`/mount-explorer/local/${folder}?preview=seen.png`);
  await expect(page.getByRole('img', { name: 'seen.png' }).first()).toBeVisible();
  await expect.poll(() => stored(page).then((rows) => rows.join('\n'))).toMatch(/directories .*fs\/get/);
  const shared = await page.evaluate(async () => {
    const keys = await Promise.all(
      (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
    );
    return keys.flat().map(({ url }) => new URL(url).pathname + new URL(url).search);
  });
  const open = ['/api/admin/settings?group=4', '/api/version', '/api/system/max-upload-size'];
  expect(shared.filter((path) => path.startsWith('/api/') && !open.includes(path))).toEqual([]);
  expect(await everything(page)).not.toMatch(
    /X-Amz-Signature|\/api\/blob\/|[?&](sig|sign|signature|ticket|token)=/,
  );
  await page.goto(`/mount-explorer/local/${folder}`);
  await expect(seen).toHaveCount(1);

  await line.cut(context, true);
  await page.reload();
  await expect.poll(() => seen.count().then((count) => count === 1 && shows())).toBe(true);
  await page.getByRole('button', { name: 'Admin', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByText('You’re signed out')).toBeVisible();
  await expect.poll(() => stored(page)).toEqual([]);
  // Back in the same place there is nothing to see, not even for who signs in anew.
  await page.evaluate((token) => localStorage.setItem('admin_token', token), await adminToken());
  await page.goto(`/mount-explorer/local/${folder}`);
  await expect(page.getByText(say('errors.http.network')).first()).toBeVisible();
  await expect(seen).toHaveCount(0);
  await context.close();
});

/**
 * covered lists the controls that the strip at the window's foot lies over even after they were scrolled to. The
 * page scrolls as it does for the keyboard.
 */
const covered = (page: Page) =>
  page.evaluate(() => {
    const strip = document.querySelector('aside section')?.closest('aside > div');
    if (!strip) return ['no strip'];
    return [
      ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex="0"]'),
    ]
      .filter((control) => !strip.contains(control) && control.checkVisibility({ visibilityProperty: true }))
      .filter((control) => {
        control.scrollIntoView({ block: 'nearest' });
        const { x, y, width, height } = control.getBoundingClientRect();
        const above = document.elementFromPoint(x + width / 2, y + Math.min(height, innerHeight / 3) / 2);
        return above !== null && strip.contains(above);
      })
      .map((control) => control.outerHTML.slice(0, 120));
  });

test('the card and the badge lie over no control, and everybody finds the state of the app', async ({
  browser,
  line,
  origin,
}) => {
  const say = await wordsOf('zh-CN');
  const { slug } = await createPaste({
    content: '# Seen\n\nwith a card',
    slug: freshSlug(),
    syntax: 'markdown',
  });
  const context = await openContext(browser, { origin, language: 'zh-CN' });
  const page = await context.newPage();
  await page.goto('/');
  await controlled(page);
  // A visitor with a network opens it at the end of every page.
  await page.evaluate(() => Object.defineProperty(Notification, 'permission', { get: () => 'denied' }));
  await page.getByRole('button', { name: say('pwa.status.title') }).click();
  const status = page.getByRole('dialog', { name: say('pwa.status.title') });
  await expect(status.getByText(say('pwa.status.online'), { exact: true })).toBeVisible();
  await expect(status.getByText(say('pwa.worker.active'), { exact: true })).toBeVisible();
  await expect(status.getByText(say('pwa.notices.change'))).toBeVisible();
  await page.keyboard.press('Escape');
  await page.evaluate((token) => localStorage.setItem('admin_token', token), await adminToken());
  await page.goto('/admin');
  await expect(page.getByRole('heading', { level: 1, name: say('admin.pages.dashboard') })).toBeVisible();
  const card = page.getByRole('heading', { name: say('pwa.install.title') });
  await expect(async () => {
    await page.evaluate(() => {
      const userChoice = new Promise(() => undefined);
      const offer = { prompt: () => Promise.resolve(), userChoice };
      dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), offer));
    });
    await expect(card).toBeVisible({ timeout: 1000 });
  }).toPass();
  for (const [path, ready] of [
    ['/admin', page.getByRole('heading', { level: 1, name: say('admin.pages.dashboard') })],
    ['/', page.getByLabel(say('home.editor.label'))],
    ['/upload', page.getByRole('heading', { level: 1, name: say('file.heading') })],
    ['/mount-explorer', page.getByRole('link', { name: 'local' }).first()],
    [`/paste/${slug}`, page.getByText('with a card')],
    ['/admin/settings/preview', page.getByRole('heading', { level: 1, name: say('admin.pages.preview') })],
  ] as const) {
    await page.evaluate((to) => {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path);
    await expect(ready).toBeVisible();
    for (const size of [
      { width: 1280, height: 600 },
      { width: 375, height: 667 },
    ]) {
      await page.setViewportSize(size);
      await expect.poll(() => covered(page), `${path} ${size.width}`).toEqual([]);
    }
    if (path !== '/') continue;
    // On phones, low ones too, the button that shares stands above the card without any scrolling.
    for (const size of [
      { width: 390, height: 844 },
      { width: 375, height: 667 },
    ]) {
      await page.setViewportSize(size);
      await page.evaluate(() => scrollTo(0, 0));
      const edge = async (part: Locator) => (await part.boundingBox()) ?? { y: 0, height: 0 };
      await expect
        .poll(async () => {
          const share = await edge(page.getByRole('button', { name: say('home.share.submit'), exact: true }));
          return (
            share.height > 0 &&
            share.y + share.height <= (await edge(page.locator('aside > div').filter({ has: card }))).y
          );
        }, `${size.height}`)
        .toBe(true);
    }
  }
  // With the badge and what waits beside the card.
  await line.cut(context, true);
  await expect(page.getByRole('button', { name: say('pwa.offline'), exact: true })).toBeVisible();
  await expect.poll(() => covered(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await context.close();
});

test('below a base path the app is installed, works offline and stays in its place', async ({ browser }) => {
  const say = await wordsOf('en-US');
  const program = await startProgram({ PASTEPORT_PUBLIC_URL: 'http://127.0.0.1/p' });
  const far = new Line(program.url);
  try {
    const at = await far.open();
    const { slug } = await createPasteAt(`${program.url}/p/api`, 'read below a path');
    const context = await openContext(browser, { origin: at });
    const page = await context.newPage();
    await page.goto('/p/');
    await controlled(page);
    const worker = await page.evaluate(async () => {
      const { scope, active } = await navigator.serviceWorker.ready;
      return { scope, script: active?.scriptURL };
    });
    expect(worker).toEqual({ scope: `${at}/p/`, script: `${at}/p/sw.js` });
    const session = await context.newCDPSession(page);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
      [],
    );
    const { data = '' } = await session.send('Page.getAppManifest');
    expect(JSON.parse(data)).toMatchObject({
      id: '/p/',
      start_url: '/p/',
      scope: '/p/',
      share_target: { action: '/p/share-target' },
      file_handlers: [{ action: '/p/?open' }],
    });
    await session.detach();

    await page.goto(`/p/paste/${slug}`);
    await expect(page.getByText('read below a path')).toBeVisible();
    await expect.poll(() => stored(page).then((rows) => rows.join('\n'))).toContain('read below a path');
    await far.cut(context, true);
    await page.reload();
    await expect(page.getByText('read below a path')).toBeVisible();
    await forgetUpload(page);
    await page.getByRole('banner').getByRole('link', { name: 'Upload' }).click();
    await expect(page.getByRole('heading', { name: say('app.lazy.offlineTitle') })).toBeVisible();
    const fallback = page.getByRole('alert');
    await fallback.getByRole('button', { name: say('common.retry') }).click();
    await expect(page.getByRole('heading', { name: say('app.lazy.offlineTitle') })).toBeVisible();
    await fallback.getByRole('button', { name: say('app.lazy.back') }).click();
    await expect(page.getByText('read below a path')).toBeVisible();
    await page.getByRole('banner').getByRole('link', { name: 'Upload' }).click();
    await fallback.getByRole('link', { name: 'Home' }).click();
    await expect(page.getByLabel('Text to share')).toBeVisible();
    expect(new URL(page.url()).pathname).toBe('/p/');
    await context.close();
  } finally {
    far.close();
    await program.stop();
  }
});

/** createPasteAt shares a text at another program than the run's. */
async function createPasteAt(api: string, content: string): Promise<{ slug: string }> {
  const send = async (path: string, body: unknown, token = '') => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.ok).toBe(true);
    const json = (await answer.json()) as { data?: unknown };
    return json.data ?? json;
  };
  const { token } = (await send('/admin/login', { username: 'admin', password: adminPassword })) as {
    token: string;
  };
  return (await send('/paste', { content }, token)) as { slug: string };
}
