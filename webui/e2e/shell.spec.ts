import { bits, createFile, createKey, createPaste, freshSlug, serverUrl } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';

test('switching language and theme keeps text and caret of both editors', async ({ visit }) => {
  const page = await visit({ stored: { themeMode: 'light', 'pp.editorMode': 'plain' } });
  await page.goto('/');
  const plain = page.getByLabel('Text to share');
  await plain.fill('one two three');
  await plain.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(4, 7));
  await page.getByRole('button', { name: 'Theme: light. Switch to dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await expect(page).toHaveTitle(/[\u4e00-\u9fff]/);
  const area = page.locator('textarea');
  await expect(area).toHaveValue('one two three');
  expect(
    await area.evaluate(({ selectionStart, selectionEnd }: HTMLTextAreaElement) => [
      selectionStart,
      selectionEnd,
    ]),
  ).toEqual([4, 7]);

  // The Markdown editor: what is typed next lands where the caret was.
  await page.getByRole('radio', { name: '源码' }).check();
  const editor = page.locator('.cm-content');
  await editor.fill('alpha omega');
  await editor.press('Home');
  for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowRight');
  await page.getByRole('button', { name: /主题/ }).click();
  await page.locator('header [aria-haspopup=menu]').last().click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
  await page.locator('.cm-content').focus();
  await page.keyboard.type('beta ');
  await expect(page.locator('.cm-content')).toHaveText('alpha beta omega');
  await page.keyboard.press('Control+z');
  await expect(page.locator('.cm-content')).toHaveText('alpha omega');

  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
});

test('an unknown address says so and returns home unless it is stopped', async ({ visit }) => {
  const page = await visit();
  const answer = await page.goto('/no/such/page');
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
  await page.getByRole('button', { name: 'Stay here' }).click();
  await expect(page.getByText(/Returning home in/)).toHaveCount(0);

  await page.goto('/another/one');
  await expect(page.getByText(/Returning home in/)).toBeVisible();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { level: 1, name: 'New share' })).toBeVisible();
});

test('the menu of a phone opens, closes by Escape and leads on', async ({ visit }) => {
  const page = await visit({ phone: true });
  await page.goto('/');
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.getByRole('link', { name: 'Upload', exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: 'Upload', exact: true })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Menu' })).toBeFocused();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Upload files' })).toBeFocused();
});

test('a draft survives a reload and can be cleared and brought back', async ({ visit }) => {
  const page = await visit();
  await page.goto('/');
  await page.getByLabel('Text to share').fill('half a thought');
  await expect(page.getByText('Draft saved on this device')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Text to share')).toHaveValue('half a thought');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clear' }).click();
  await expect(page.getByLabel('Text to share')).toHaveValue('');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByLabel('Text to share')).toHaveValue('half a thought');
});

test('"?" lists the keys on every page, but not while one types or has switched it off', async ({
  visit,
}) => {
  const page = await visit();
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await page.goto('/');
  const text = page.getByLabel('Text to share');
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await expect(list).toBeVisible();
  await expect(list.getByRole('heading', { level: 3 }).first()).toHaveText('Writing and editing texts');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Keyboard shortcuts' })).toBeFocused();

  await text.pressSequentially('really?');
  await expect(text).toHaveValue('really?');
  await expect(list).toHaveCount(0);

  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Upload files' })).toBeFocused();
  await page.keyboard.press('?');
  await expect(list.getByRole('heading', { level: 3 }).first()).toHaveText('Upload');
  await list.getByRole('checkbox', { name: 'Open this list with the ? key' }).uncheck();
  await list.getByRole('button', { name: 'Close' }).last().click();
  await expect(list).toHaveCount(0);
  await page.keyboard.press('?');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'New share' })).toBeFocused();
  await page.keyboard.press('?');
  await expect(list).toHaveCount(0);
});

test('the choice of a back end is for administrators who ask for it, and obeys the page’s policy', async ({
  visit,
}) => {
  const title = 'Back end';
  const flag = '/?showEnvSwitcher';
  const visitor = await visit({ stored: { admin_token: 'made up' } });
  await visitor.goto(flag);
  await expect(visitor.getByRole('link', { name: 'Sign in' }).first()).toBeVisible();
  const holder = await visit({ stored: { api_key: await createKey(freshSlug(), bits.TEXT) } });
  await holder.goto(flag);
  await expect(holder.getByRole('button', { name: 'Share', exact: true })).toBeEnabled();

  // What the policy refuses is reported in the console, too.
  const page = await visit({ admin: true, expected: /Content Security Policy|Failed to load resource/ });
  await page.goto('/');
  await page.goto(flag);
  const panel = page.getByRole('complementary', { name: title });
  await expect(panel.getByText('Current: /api')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: 'test-results/screens/back-end.png' });
  await panel.getByRole('radio', { name: 'Other' }).check();
  const address = panel.getByLabel('Base address of the API');
  const use = panel.getByRole('button', { name: 'Use and reload' });
  for (const [typed, said] of [
    ['javascript:alert(1)', 'Enter a path such as /api'],
    ['https://elsewhere.example/api', 'blocks https://elsewhere.example/api'],
    ['/elsewhere', '/elsewhere isn’t a Pasteport API'],
  ] as const) {
    await address.fill(typed);
    await use.click();
    await expect(panel.getByText(said)).toBeVisible();
  }
  expect(await page.evaluate(() => localStorage.getItem('pp.apiBase'))).toBeNull();
  await expect(visitor.getByText(title, { exact: true })).toHaveCount(0);
  await expect(holder.getByText(title, { exact: true })).toHaveCount(0);

  // An address that leads to the same place by another way.
  await page.route('**/detour/api/**', (route) =>
    route.continue({ url: route.request().url().replace('/detour/', '/') }),
  );
  await address.fill(`${serverUrl()}/detour/api/`);
  await Promise.all([page.waitForEvent('load'), use.click()]);
  await expect(panel.getByText('Current: /detour/api')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toBeEnabled();
  await page.goto('/?showEnvSwitcher=default');
  await expect(panel.getByText('Current: /api')).toBeVisible();
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toBeEnabled();
  await expect(panel).toHaveCount(0);
});

test('what is chosen shows in the system’s colours, too', async ({ visit }) => {
  const page = await visit({ admin: true });
  await page.emulateMedia({ forcedColors: 'active', contrast: 'more', reducedMotion: 'reduce' });
  await page.goto('/upload#url');
  await expect(page.getByRole('heading', { level: 1, name: 'Upload files' })).toBeVisible();
  const outline = (name: string) =>
    page.getByRole('link', { name, exact: true }).evaluate((link) => getComputedStyle(link).outlineStyle);
  expect(await outline('Upload')).toBe('solid');
  expect(await outline('Home')).toBe('none');
  const tab = page.getByRole('tab', { selected: true });
  expect(await tab.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
  await page.screenshot({ path: 'test-results/screens/forced-colours.png' });
});

test('an announcement comes once for each content if the reader says so, else with every load', async ({
  visit,
}) => {
  const config = (announcement: string) =>
    JSON.stringify({
      at: Date.now(),
      site: {
        title: '',
        faviconUrl: '',
        footerMarkdown: 'Run by **us** at [the pier](https://example.org/)',
        announcementEnabled: true,
        announcement,
        customHead: '',
        customBody: '',
        editorMode: 'plain',
      },
    });
  const page = await visit({
    stored: { 'pp.siteConfig': config('## Low tide\n\n<b onclick="alert(1)">Mind</b> the *rocks*.') },
    // The sanitiser's reading of a handler is reported, though nothing runs.
    expected: /inline event handler/,
  });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('settings?group=4')) asked.push(request.url());
  });
  const dialog = page.getByRole('dialog', { name: 'Announcement' });
  await page.goto('/');
  await expect(dialog.getByRole('heading', { name: 'Low tide' })).toBeVisible();
  await expect(dialog.locator('[onclick]')).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  expect(await page.evaluate(() => localStorage.getItem('pp.announcements'))).toBeNull();

  await page.reload();
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Got it' }).click();
  await expect
    .poll(() => page.evaluate(() => localStorage.getItem('pp.announcements')))
    .toMatch(/^\["[0-9a-f]{64}"\]$/);
  await page.clock.install();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'New share' })).toBeVisible();
  await page.clock.runFor(5_000);
  await expect(dialog).toHaveCount(0);

  // Another content is another announcement; nobody asked the server for any of this.
  await page.evaluate((next) => localStorage.setItem('pp.siteConfig', next), config('High tide'));
  await page.reload();
  await page.clock.runFor(5_000);
  await expect(dialog.getByText('High tide')).toBeVisible();
  expect(asked).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();

  const footer = page.getByRole('contentinfo');
  await expect(footer.getByRole('link', { name: 'the pier' })).toHaveAttribute('target', '_blank');
  await page.getByRole('link', { name: 'Admin', exact: true }).click();
  await expect(page.getByLabel('Username')).toBeVisible();
  await expect(footer).toHaveCount(0);
});

test('“Admin” stands once in the header, and still is the name of who is signed in', async ({ visit }) => {
  const page = await visit({ admin: true });
  await page.goto('/');
  const header = page.getByRole('banner');
  await expect(header.getByRole('button', { name: 'Admin', exact: true })).toBeVisible();
  await expect(header.getByText('Admin', { exact: true }).filter({ visible: true })).toHaveCount(1);
});

test('pages fit 320 px and a low window, speak their titles, and are found where one left them', async ({
  visit,
}) => {
  const slug = freshSlug();
  const lines = Array.from({ length: 400 }, (_, line) => `${line} ${'verylongword'.repeat(8)}`);
  await createPaste({ slug, content: lines.join('\n'), remark: 'A long log' });
  await createFile(`${'long-name-'.repeat(12)}.bin`, Buffer.from('x'), { slug });
  const page = await visit({ admin: true });
  for (const size of [
    { width: 320, height: 640 },
    { width: 640, height: 360 },
  ]) {
    await page.setViewportSize(size);
    for (const path of ['/', '/upload', `/paste/${slug}`, `/file/${slug}`, '/mount-explorer', '/no/page']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      await expect(page.locator('[data-loading]')).toHaveCount(0);
      expect
        .soft(
          await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          ),
          `${path} at ${size.width}`,
        )
        .toBeLessThanOrEqual(0);
    }
  }

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto('/');
  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  await expect(page.getByText('Page: File upload')).toBeAttached();
  await page.goto(`/paste/${slug}`);
  await expect(page).toHaveTitle('A long log - Pasteport');
  await expect(page.getByText('399 verylong').first()).toBeAttached();
  await page.evaluate(() => scrollTo(0, 3000));
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(3000);
  // A mouse's click may scroll what it finds covered, which would be another place to come back to.
  await page
    .getByRole('link', { name: 'Home', exact: true })
    .first()
    .evaluate((link: HTMLElement) => link.click());
  await expect(page.getByRole('heading', { level: 1, name: 'New share' })).toBeFocused();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.goBack();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(3000);
});

test('the frame of a page is there before the app, and gone with it, on paper and without scripts', async ({
  visit,
  browser,
}) => {
  const page = await visit({ expected: /Failed to load resource|net::ERR/ });
  const first = page.locator('#pp-first');
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto('/');
  await expect(first).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(first).toBeHidden();
  await page.emulateMedia({ media: 'screen' });
  await page.unroute('**/assets/*.js');
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(first).toBeHidden();

  const still = await browser.newContext({ javaScriptEnabled: false });
  const plain = await still.newPage();
  await plain.goto(page.url());
  await expect(plain.locator('#pp-first')).toBeHidden();
  await still.close();
});
