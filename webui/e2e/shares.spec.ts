import { Buffer } from 'node:buffer';
import type { Page } from '@playwright/test';
import { expect, looks, overflow, prepare, test, violations, type App } from './app';

const desktop = { language: 'en-US', theme: 'light', size: 'desktop' } as const;
const unique = () => `e${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}`;

// A red dot.
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==',
  'base64',
);

const markdown = [
  '# Harbour log',
  '[TOC]',
  '**靠岸。**后文 and ==marked== text[^1].',
  '## Table',
  '| Port | Ships |\n|---|--:|\n| North | 12 |',
  '## Code',
  '```go\nfunc main() {}\n```',
  '- [ ] open\n- [x] done',
  '![dot](data:image/png;base64,' + png.toString('base64') + ')',
  '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">',
  '[^1]: A note.',
].join('\n\n');

async function share(app: App, body: Record<string, unknown>): Promise<string> {
  const slug = unique();
  await app.call('POST', '/paste', { slug, ...body });
  return slug;
}

async function upload(page: Page, name: string, mimeType: string, buffer: Buffer): Promise<string> {
  await page.goto('/upload');
  await page.getByTestId('files').setInputFiles({ name, mimeType, buffer });
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  return new URL(await page.getByLabel(`Share link of ${name}`).inputValue()).pathname;
}

test('files are uploaded, opened by a visitor, downloaded whole, and deleted by their owner', async ({
  app,
  browser,
  page,
}) => {
  await prepare(page, desktop, app.token);
  const body = Buffer.from('你好，世界\n'.repeat(1000));
  const path = await upload(page, '笔记 notes.txt', 'text/plain', body);

  const visitor = await browser.newPage({ baseURL: app.url });
  await prepare(visitor, desktop);
  await visitor.goto(path);
  await expect(visitor.getByRole('heading', { level: 1, name: '笔记 notes.txt' })).toBeVisible();
  await expect(visitor.getByText('1,000 lines')).toBeVisible();
  await expect(visitor.getByRole('button', { name: 'Delete' })).toHaveCount(0);
  const [download] = await Promise.all([
    visitor.waitForEvent('download'),
    visitor.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('笔记 notes.txt');
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).equals(body)).toBe(true);

  await page.goto(path);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'The file was deleted' })).toBeVisible();
  await visitor.reload();
  await expect(visitor.getByRole('heading', { name: /Nothing here|no longer available/ })).toBeVisible();
  await visitor.close();
});

test('a failed upload leaves no file behind', async ({ app, page }) => {
  await prepare(page, desktop, app.token);
  await page.route('**/api/blob/**', (route) => route.abort());
  await page.goto('/upload');
  const name = `${unique()}.bin`;
  await page.getByTestId('files').setInputFiles({ name, mimeType: '', buffer: Buffer.from('x') });
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect(page.getByText('A network error interrupted the upload')).toBeVisible();
  const list = await app.call('GET', `/files?search=${name}`);
  expect((list.data as { files: unknown[] }).files).toEqual([]);
  await page.unroute('**/api/blob/**');
  await page.getByRole('button', { name: `Try ${name} again` }).click();
  await expect(page.getByLabel(`Share link of ${name}`)).toBeVisible();
});

test('a protected paste with one view opens once, and nothing before the password counts', async ({
  app,
  page,
}) => {
  const slug = await share(app, { content: 'only once', maxViews: 1, password: 'secret-word' });
  await prepare(page, desktop);
  for (let visit = 0; visit < 3; visit++) await page.goto(`/paste/${slug}`);
  const field = page.getByLabel('Password', { exact: true });
  await field.fill('wrong');
  await field.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'Incorrect password' })).toHaveCount(1);
  await expect(field).toBeFocused();
  await field.fill('secret-word');
  await field.press('Enter');
  await expect(page.getByText('only once')).toBeVisible();
  await expect(page.getByText(/This was the last view/)).toBeVisible();
  expect(page.url()).not.toContain('secret');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This share is no longer available' })).toBeVisible();
});

test('an open-once paste is shown only after a click', async ({ app, page }) => {
  const slug = await share(app, { content: 'burn me', maxViews: 1 });
  await prepare(page, desktop);
  await page.goto(`/paste/${slug}`);
  await page.reload();
  await page.getByRole('button', { name: 'Show it now' }).click();
  await expect(page.getByText('burn me')).toBeVisible();
});

test('hostile Markdown runs nothing, and HTML previews reach nothing', async ({ app, page }) => {
  const content = `${markdown}\n\n\`\`\`html\n<p id=p>still</p><script>p.textContent = (() => { try { return 'read ' + localStorage.length } catch { return 'refused' } })()</script>\n\`\`\``;
  const slug = await share(app, { content, syntax: 'markdown' });
  await prepare(page, desktop, app.token);
  await page.goto(`/paste/${slug}`);
  await expect(page.getByRole('heading', { name: 'Harbour log' })).toBeVisible();
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('#p')).toHaveText('still');
  await page.getByRole('button', { name: 'Run scripts' }).click();
  await expect(frame.locator('#p')).toHaveText('refused');
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
});

test('lines of code can be linked to', async ({ app, page }) => {
  const content = Array.from({ length: 3000 }, (_, i) => `line ${i + 1}`).join('\n');
  const slug = await share(app, { content, syntax: 'text' });
  await prepare(page, desktop);
  await page.goto(`/paste/${slug}#L2500-L2502`);
  await expect(page.locator('[data-selected]')).toHaveCount(3);
  await expect(page.getByText('line 2500', { exact: true })).toBeInViewport();
});

test.describe('every look is accessible and fits the window', () => {
  for (const look of looks) {
    test(`${look.language} ${look.theme} ${look.size}`, async ({ app, page }, info) => {
      test.setTimeout(60_000);
      await prepare(page, { ...look, language: 'en-US' }, app.token);
      const file = await upload(page, 'dot.png', 'image/png', png);
      const screens: [name: string, path: string][] = [
        ['upload', '/upload'],
        ['file', file],
        ['paste', `/paste/${await share(app, { content: markdown, syntax: 'markdown', remark: 'Log' })}`],
        ['code', `/paste/${await share(app, { content: 'a = 1', syntax: 'python' })}#L1`],
        ['password', `/paste/${await share(app, { content: 'x', password: 'pw' })}`],
        ['last-view', `/paste/${await share(app, { content: 'x', maxViews: 1 })}`],
        ['missing', `/paste/${unique()}`],
      ];
      await prepare(page, look, app.token);
      for (const [name, path] of screens) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
        await page.waitForLoadState('networkidle');
        expect(await violations(page), name).toEqual([]);
        expect(await overflow(page), name).toBeLessThanOrEqual(0);
        const shot = `${name}-${look.language}-${look.theme}-${look.size}.png`;
        await page.screenshot({ path: info.outputPath(shot), fullPage: true });
      }
    });
  }
});
