import { createPaste, freshSlug, serverUrl, viewsOf } from './api';
import { expect, test } from './fixtures';
import { wordsOf } from './words';

for (const language of ['en-US', 'zh-CN'] as const)
  test(`a protected paste is shared, opened with its password, and burnt (${language})`, async ({
    visit,
  }) => {
    const say = await wordsOf(language);
    const text = 'Tide table 潮汐表\n06:40 low\n12:55 high\n';
    const home = await visit({ language, admin: true });
    await home.goto('/');
    await home.getByLabel(say('home.editor.label')).fill(text);
    await home.getByRole('button', { name: say('share.form.remark'), exact: true }).click();
    await home.getByLabel(say('share.form.remark')).fill('Tides');
    await home.locator('input[type=password]').fill('north pier');
    await home.getByLabel(say('share.form.maxViews')).fill('2');
    await home.getByRole('button', { name: say('home.share.submit'), exact: true }).click();

    // The share box: the link stands ready, is selected and on the clipboard.
    const field = home.getByLabel(say('shareBox.link'), { exact: true });
    await expect(field).toBeFocused();
    const link = await field.inputValue();
    expect(link).toMatch(new RegExp(`^${serverUrl()}/paste/[\\w-]+$`));
    await expect(home.getByText(say('shareBox.autoCopied'))).toBeVisible();
    expect(await home.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await home.getByRole('button', { name: say('shareBox.copyBoth') }).click();
    await expect
      .poll(() => home.evaluate(() => navigator.clipboard.readText()))
      .toBe(say('shareBox.linkAndPassword', { link, password: 'north pier' }));
    await home.getByRole('button', { name: say('shareBox.qr') }).click();
    const qr = home.getByRole('dialog', { name: say('qr.title') });
    await expect(qr.getByRole('img', { name: link })).toBeVisible();
    await home.keyboard.press('Escape');
    await expect(qr).toBeHidden();
    await expect(home.getByRole('button', { name: say('shareBox.qr') })).toBeFocused();

    // A visitor knows only the link: wrong password, then the right one.
    const visitor = await visit({ language });
    await visitor.goto(link);
    await expect(visitor.getByRole('heading', { name: say('shareGate.password.title') })).toBeVisible();
    await expect(visitor).not.toHaveTitle(/Tides/);
    const password = visitor.getByLabel(say('shareGate.password.label'), { exact: true });
    await password.fill('south pier');
    await visitor.keyboard.press('Enter');
    await expect(visitor.getByText(say('shareGate.password.wrong')).first()).toBeVisible();
    await expect(password).toBeFocused();
    await expect(password).toHaveAttribute('aria-invalid', 'true');
    await password.fill('north pier');
    await visitor.keyboard.press('Enter');
    await expect(visitor.getByRole('heading', { level: 1, name: 'Tides' })).toBeVisible();
    await expect(visitor).toHaveTitle(/^Tides - /);
    await expect(visitor.getByText('06:40 low')).toBeVisible();
    await expect(
      visitor.locator('p').getByText(say('pasteView.meta.views', { smart_count: 1 })),
    ).toBeVisible();
    await visitor.getByRole('button', { name: say('pasteView.actions.copy') }).click();
    await expect.poll(() => visitor.evaluate(() => navigator.clipboard.readText())).toBe(text);

    // The last view is announced before it is taken.
    const last = await visit({ language });
    await last.goto(link);
    await expect(last.getByText(say('shareGate.password.last'))).toBeVisible();
    await last.getByLabel(say('shareGate.password.label'), { exact: true }).fill('north pier');
    await last.getByRole('button', { name: say('shareGate.password.submit'), exact: true }).click();
    await expect(last.getByText('06:40 low')).toBeVisible();
    await expect(last.getByText(say('pasteView.lastView'))).toBeVisible();

    const late = await visit({ language });
    await late.goto(link);
    await expect(late.getByRole('heading', { name: say('shareGate.gone.title') })).toBeVisible();
    await late.getByRole('link', { name: say('shareGate.home') }).click();
    await expect(late).toHaveURL('/');
  });

test('the last view of an open paste is taken only after a yes', async ({ visit }) => {
  const { slug } = await createPaste({ content: 'burn after reading', maxViews: 1 });
  const page = await visit();
  await page.goto(`/paste/${slug}`);
  await expect(page.getByRole('heading', { name: 'This can only be opened once' })).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Show it now' }).click();
  await expect(page.getByText('burn after reading')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This share is no longer available' })).toBeVisible();
});

test('the raw link serves the bare text', async ({ visit }) => {
  const text = 'raw <b>text</b>\n第二行\n';
  const { slug } = await createPaste({ content: text, password: 'anchor' });
  const page = await visit();
  await page.goto(`/paste/${slug}`);
  await page.getByLabel('Password', { exact: true }).fill('anchor');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Copy raw link' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Use the link' }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${serverUrl()}/api/raw/${slug}?password=anchor`);
  const raw = await page.request.get(await page.evaluate(() => navigator.clipboard.readText()));
  expect(raw.headers()['content-type']).toMatch(/^text\/plain/);
  expect(await raw.text()).toBe(text);
});

test('a paste is deleted by its owner', async ({ visit }) => {
  const { slug } = await createPaste({ content: 'short-lived', remark: 'Short-lived note' });
  const page = await visit({ admin: true });
  await page.goto(`/paste/${slug}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete “Short-lived note”?' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Share deleted')).toBeVisible();
  await page.goto(`/paste/${slug}`);
  await expect(
    page
      .getByRole('heading', { name: 'This share is no longer available' })
      .or(page.getByRole('heading', { name: 'Share not found' })),
  ).toBeVisible();
});

// Each of these would set window.canary if it ran.
const hostile = [
  '<script>window.canary = 1</script>',
  '<img src=x onerror="window.canary = 1">',
  '<svg onload="window.canary = 1"></svg>',
  '[link](javascript:window.canary=1)',
  '<iframe srcdoc="<script>parent.canary = 1</script>"></iframe>',
  '<a href="java&#115;cript:window.canary=1">other link</a>',
].join('\n\n');

test('a Markdown paste renders with its outline and runs nothing', async ({ visit }) => {
  const content = `# Log\n\n## Ships\n\n**Aurora** at berth 4\n\n${hostile}\n\n${'line\n\n'.repeat(60)}## Tides\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n### Noon\n\nEnd.\n`;
  const { slug } = await createPaste({ content, syntax: 'markdown' });
  // The sanitizer reads the hostile parts in a document of its own, and the CSP reports each handler it meets.
  // One of its pictures names a page of this server that there is not.
  const page = await visit({ expected: /Executing inline event handler violates|status of 404/ });
  await page.goto(`/paste/${slug}`);
  await expect(page.getByRole('heading', { name: 'Ships' })).toBeVisible();
  await expect(page.locator('strong', { hasText: 'Aurora' })).toBeVisible();
  await expect(page.getByRole('cell', { name: '2' })).toBeVisible();

  const outline = page.getByRole('navigation', { name: 'Outline' });
  await outline.getByRole('link', { name: 'Tides' }).click();
  await expect(page.getByRole('heading', { name: 'Tides' })).toBeInViewport();
  await expect(page.getByRole('heading', { name: 'Tides' })).toBeFocused();

  for (const link of await page.getByText(/^(other )?link$/).all()) await link.click({ trial: false });
  expect(await page.evaluate(() => 'canary' in window)).toBe(false);
  expect(await page.locator('main [onerror], main [onload], main iframe, main script').count()).toBe(0);
});

test('a plain paste shows every character and runs nothing', async ({ visit }) => {
  const { slug } = await createPaste({
    content: hostile,
    syntax: 'text',
    remark: '<img src=x onerror=alert(1)>',
  });
  const page = await visit();
  await page.goto(`/paste/${slug}`);
  await expect(page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>' })).toBeVisible();
  await expect(page.getByText('<script>window.canary = 1</script>')).toBeVisible();
  await page.getByRole('radio', { name: 'Code' }).check();
  await expect(page.getByText('<script>window.canary = 1</script>')).toBeVisible();
  expect(await page.evaluate(() => 'canary' in window)).toBe(false);
});

test('a link that is taken is said at its field and keeps the text', async ({ visit }) => {
  const slug = freshSlug();
  await createPaste({ content: 'first', slug });
  const page = await visit({ admin: true });
  await page.goto('/');
  await page.getByLabel('Text to share').fill('second');
  await page.getByRole('button', { name: 'Custom link' }).click();
  await page.getByLabel('Custom link').fill(slug);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText('This link is taken. Choose another one.').first()).toBeVisible();
  await expect(page.getByLabel('Custom link')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('Text to share')).toHaveValue('second');
});

test('an open paste is asked for once, before the scripts are there, and takes one view', async ({
  visit,
}) => {
  const { slug } = await createPaste({
    slug: freshSlug(),
    content: '# Log\n\nHigh water at noon.',
    syntax: 'markdown',
  });
  const page = await visit({ language: 'en-US' });
  await page.goto(`/paste/${slug}`);
  await expect(page.getByText('High water at noon.')).toBeVisible();
  const asked = await page.evaluate((end) => {
    const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    return performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith(end))
      .map(({ startTime }) => startTime < (page?.domInteractive ?? 0));
  }, `/api/paste/${slug}`);
  expect(asked).toEqual([true]);
  await expect.poll(() => viewsOf(slug)).toBe(1);
});

test('a menu that arrives while its button is pressed opens all the same', async ({ visit }) => {
  const { slug } = await createPaste({ content: 'x', slug: freshSlug() });
  const page = await visit();
  let arrive = () => {};
  const pressed = new Promise<void>((resolve) => (arrive = resolve));
  await page.route(/\/assets\/More-/, async (route) => {
    await pressed;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/assets\/More-/);
  await page.goto(`/paste/${slug}`);
  await asked;
  await page.getByRole('button', { name: 'More', exact: true }).hover();
  await page.mouse.down();
  const came = page.waitForResponse(/\/assets\/More-/);
  arrive();
  await (await came).finished();
  await page.waitForLoadState('networkidle');
  await page.mouse.up();
  await expect(page.getByRole('menuitem', { name: 'Print' })).toBeVisible();
});
