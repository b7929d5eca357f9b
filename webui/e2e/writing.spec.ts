import type { CDPSession, Page } from '@playwright/test';
import { createHash } from 'node:crypto';
import { expect, test } from './fixtures';

const count = (text: string) => `${[...text].length.toLocaleString('en-US')} characters`;

test('a text of ten megabytes is imported, written, kept as a draft, shared, and forgotten at sign-out', async ({
  visit,
}) => {
  test.slow();
  const line = 'The pilot boat left **early**. 引航船准时离港。\n';
  const day = `## Day\n\n${line.repeat(40)}\n`;
  const large = day.repeat(Math.floor(9_900_000 / Buffer.byteLength(day)));
  const page = await visit({
    admin: true,
    stored: { 'pp.editorMode': 'markdown', 'pp.editorView': 'source' },
  });
  await page.goto('/');
  const editor = page.locator('.cm-content');
  await expect(editor).toBeVisible();
  // Asked of its own element: a search for words in the page would read the ten megabytes of the text field each time.
  const counter = page.getByRole('main').locator('p', { hasText: /characters/ });
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await choosing).setFiles({ name: 'log.md', mimeType: 'text/markdown', buffer: Buffer.from(large) });
  await expect(counter).toContainText(count(large));

  let text = large;
  const write = async (words: string) => {
    await page.keyboard.press('Control+End');
    await page.keyboard.type(words);
    text += words;
    await expect(counter).toContainText(count(text));
  };
  await editor.focus();
  await write('source ');
  await expect(editor).toContainText('source');
  await page.getByRole('radio', { name: 'Instant' }).check();
  await expect(page.getByText('Large text: live preview is off.')).toBeVisible();
  await editor.focus();
  await write('instant ');
  await page.getByRole('radio', { name: 'Split' }).check();
  await expect(page.getByRole('button', { name: 'Show preview' })).toBeVisible();
  await page.getByRole('radio', { name: 'Text', exact: true }).check();
  await editor.focus();
  await write('plain ');
  await expect(page.getByText('Draft saved on this device')).toBeVisible();
  const kept = () => page.evaluate(() => localStorage.getItem('pp.own.drafts')?.length ?? 0);
  expect(await kept()).toBeLessThan(10_000);

  await page.reload();
  await expect(counter).toContainText(count(text));
  // The last letters are asked of the editor by whoever presses the button right after them.
  await editor.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('end');
  await page.keyboard.press('Control+Enter');
  const link = page.getByLabel('Link', { exact: true });
  await expect(link).toBeVisible({ timeout: 60_000 });
  const slug = new URL(await link.inputValue()).pathname.split('/').pop();
  const raw = await page.request.get(`/api/raw/${slug}`);
  const sum = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
  expect(sum(await raw.body())).toBe(sum(`${text}end`));

  const databases = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  expect(await databases()).toContain('pp.own.draftTexts');
  await page.getByRole('button', { name: 'Admin', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect.poll(databases).not.toContain('pp.own.draftTexts');
});

/** compose writes a text through an input method, which is asked for keys in between. */
async function compose(cdp: CDPSession, page: Page, text: string): Promise<void> {
  for (const begun of ['n', 'ni', 'nih', 'ni hao'])
    await cdp.send('Input.imeSetComposition', {
      text: begun,
      selectionStart: begun.length,
      selectionEnd: begun.length,
    });
  for (const key of ['Enter', 'Escape'])
    for (const type of ['rawKeyDown', 'keyUp'] as const)
      await cdp.send('Input.dispatchKeyEvent', {
        type,
        key,
        code: key,
        windowsVirtualKeyCode: 229,
        modifiers: key === 'Enter' ? 2 : 0,
      });
  await cdp.send('Input.insertText', { text });
  await page.keyboard.type('.');
}

test('an input method writes once in every mode, and its keys share nothing', async ({ visit }) => {
  const page = await visit({
    admin: true,
    stored: { 'pp.editorMode': 'markdown', 'pp.editorView': 'source' },
  });
  const shared: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/paste')) shared.push(request.url());
  });
  await page.goto('/');
  const editor = page.locator('.cm-content');
  await expect(editor).toBeVisible();
  const cdp = await page.context().newCDPSession(page);
  let text = '# **头** [x](https://example.org) ';
  await editor.fill(text);
  await page.getByRole('button', { name: 'Full screen' }).click();
  for (const way of ['Source', 'Instant', 'Split', 'Text']) {
    if (way !== 'Source') await page.getByRole('radio', { name: way, exact: true }).check();
    const field = way === 'Text' ? page.locator('textarea') : editor;
    await field.focus();
    await page.keyboard.press('Control+End');
    await compose(cdp, page, '你好');
    text += '你好.';
    await expect(page.getByText(count(text))).toBeVisible();
    if (way === 'Source') await page.getByRole('button', { name: 'Exit full screen' }).click();
  }
  await expect(page.locator('textarea')).toHaveValue(text);
  // What is composed in the middle of a text lands there.
  await page.getByRole('radio', { name: 'Instant' }).check();
  await editor.focus();
  await page.keyboard.press('Control+Home');
  await compose(cdp, page, '你好');
  await page.getByRole('radio', { name: 'Text', exact: true }).check();
  await expect(page.locator('textarea')).toHaveValue(`你好.${text}`);
  await expect(page.getByText('Draft saved on this device')).toBeVisible();
  expect(shared).toEqual([]);
  await cdp.detach();
});

test('source and preview scroll together, tabs keep their own drafts, and what is shared offline waits', async ({
  visit,
}) => {
  const page = await visit({
    admin: true,
    stored: { 'pp.editorMode': 'markdown', 'pp.editorView': 'split' },
    expected: /ERR_INTERNET_DISCONNECTED/,
  });
  await page.goto('/');
  const editor = page.locator('.cm-content');
  await expect(editor).toBeVisible();
  const days = Array.from(
    { length: 60 },
    (_, day) => `## Day ${day}\n\n${'Wind and rain. '.repeat(30)}\n\n- a\n- b`,
  );
  await editor.fill(days.join('\n\n'));
  // Where the source stands when its preview opens is where the preview begins.
  await page.getByRole('radio', { name: 'Source' }).check();
  await editor.press('Control+Home');
  await page.locator('.cm-scroller').evaluate((pane) => {
    pane.scrollTop = pane.scrollHeight / 2;
  });
  await page.getByRole('radio', { name: 'Split' }).check();
  const preview = page.getByLabel('Text preview');
  await expect(preview.getByRole('heading', { name: 'Day 59' })).toBeAttached();

  // The day at the top of each side.
  const topOf = (selector: string) =>
    page.locator(selector).evaluate((pane) => {
      const { top } = pane.getBoundingClientRect();
      const starts = [...pane.querySelectorAll('.cm-line, h2')].filter(
        (line) => /Day \d/.test(line.textContent) && line.getBoundingClientRect().bottom > top,
      );
      return Number(/\d+/.exec(starts[0]?.textContent ?? '')?.[0] ?? -1);
    });
  const sides = ['.cm-scroller', '[role=region][aria-label="Text preview"]'] as const;
  const scroll = (selector: string, part: number) =>
    page.locator(selector).evaluate((pane, at) => {
      pane.scrollTop = at * (pane.scrollHeight - pane.clientHeight);
    }, part);
  await expect
    .poll(async () => Math.abs((await topOf(sides[0])) - (await topOf(sides[1]))))
    .toBeLessThanOrEqual(1);
  expect(await topOf(sides[1])).toBeGreaterThan(5);
  for (const [leader, follower] of [sides, [sides[1], sides[0]]] as const) {
    for (const part of [0.5, 0.02]) {
      // A side that has just followed leads again after a moment, so it is moved until the other one comes along.
      let by = 0;
      await expect(async () => {
        await scroll(leader, part + (by = 0.01 - by));
        const day = await topOf(leader);
        expect(Math.abs(day - 60 * part)).toBeLessThan(10);
        await expect
          .poll(async () => Math.abs((await topOf(follower)) - day), { timeout: 2000 })
          .toBeLessThanOrEqual(1);
      }).toPass({ timeout: 60_000 });
    }
  }

  await page.getByRole('radio', { name: 'Text', exact: true }).check();
  const area = page.locator('textarea');
  await area.fill('of the first tab');
  await expect(page.getByText('Draft saved on this device')).toBeVisible();
  const second = await page.context().newPage();
  await second.goto('/');
  await expect(second.getByText('Recent drafts')).toBeVisible();
  await expect(second.locator('textarea')).toHaveValue('');
  await second.locator('textarea').fill('of the second tab');
  await expect(page.getByText('Another tab saved its own draft')).toBeVisible();
  await expect(area).toHaveValue('of the first tab');
  await second.close();
  // A tab that is gone has left its draft to the next one.
  const third = await page.context().newPage();
  await third.goto('/');
  await expect(third.locator('textarea')).toHaveValue('of the second tab');
  await third.close();

  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText('Saved on this device; it will be sent when you’re back online')).toBeVisible();
  await page.locator('summary').filter({ hasText: 'Recent drafts' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'of the first tab' })).toBeVisible();
  const sent = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/api/paste'),
  );
  await page.context().setOffline(false);
  expect((await sent).ok()).toBe(true);
});

test('a share waits while the server cannot be reached although there is a network', async ({ visit }) => {
  const page = await visit({ admin: true, expected: /ERR_FAILED/ });
  await page.clock.install();
  await page.goto('/');
  await page.route('**/api/paste', (route) => route.abort());
  await page.locator('textarea').fill('written while the server was away');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText('Saved on this device; it will be sent when you’re back online')).toBeVisible();
  await expect(page.getByRole('button', { name: '1 change pending' })).toBeVisible();

  await page.unroute('**/api/paste');
  const made: number[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('/api/paste')) made.push(response.status());
  });
  await page.clock.runFor(25_000);
  await expect(page.getByText('1 offline change synced')).toBeVisible();
  await expect(page.getByRole('button', { name: '1 change pending' })).toBeHidden();
  expect(made).toEqual([200]);
});
