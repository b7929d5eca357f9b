import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from '@playwright/test';
import { adminToken, serverUrl } from './api';
import { expect, openContext, test } from './fixtures';

const markdown = [
  '# Harbour log',
  '[TOC]',
  '**靠岸。**后文 and ==marked== text[^1].',
  '## Table',
  '| Port | Ships |\n|---|--:|\n| North | 12 |',
  '## Code',
  '```go\nfunc main() {}\n```',
  '- [ ] open\n- [x] done',
  '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">',
  '[^1]: A note.',
].join('\n\n');

/** share makes a paste and answers its slug. */
async function share(body: Record<string, unknown>): Promise<string> {
  const slug = randomUUID();
  await asAdmin('POST', '/paste', { slug, ...body });
  return slug;
}

async function asAdmin(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${serverUrl()}/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${await adminToken()}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

/** A page whose console may complain, because the test provokes it. */
async function provoked(browser: Browser, visit: Parameters<typeof openContext>[1]): Promise<Page> {
  return (await openContext(browser, visit)).newPage();
}

test('files are uploaded, opened by a visitor, downloaded whole, and deleted by their owner', async ({
  visit,
}) => {
  const owner = await visit({ admin: true });
  const body = Buffer.from('你好，世界\n'.repeat(1000));
  await owner.goto('/upload');
  await owner
    .getByTestId('files')
    .setInputFiles({ name: '笔记 notes.txt', mimeType: 'text/plain', buffer: body });
  await owner.getByRole('button', { name: 'Upload 1 file' }).click();
  const path = new URL(await owner.getByLabel('Share link of 笔记 notes.txt').inputValue()).pathname;

  const visitor = await visit();
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

  await owner.goto(path);
  await owner.getByRole('button', { name: 'Delete' }).click();
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(owner.getByRole('heading', { name: 'The file was deleted' })).toBeVisible();
  await visitor.reload();
  await expect(visitor.getByRole('heading', { name: /Nothing here|no longer available/ })).toBeVisible();
});

test('a failed upload leaves no file behind and can be repeated', async ({ browser }) => {
  const page = await provoked(browser, { admin: true });
  await page.route('**/api/blob/**', (route) => route.abort());
  await page.goto('/upload');
  const name = `${randomUUID()}.bin`;
  await page.getByTestId('files').setInputFiles({ name, mimeType: '', buffer: Buffer.from('x') });
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect(page.getByText('A network error interrupted the upload')).toBeVisible();
  const list = (await asAdmin('GET', `/files?search=${name}`)) as { data: { files: unknown[] } };
  expect(list.data.files).toEqual([]);
  await page.unroute('**/api/blob/**');
  await page.getByRole('button', { name: `Try ${name} again` }).click();
  await expect(page.getByLabel(`Share link of ${name}`)).toBeVisible();
  await page.context().close();
});

test('a protected paste with one view opens once, and nothing before the password counts', async ({
  visit,
}) => {
  const slug = await share({ content: 'only once', maxViews: 1, password: 'secret-word' });
  const page = await visit();
  for (let times = 0; times < 3; times++) await page.goto(`/paste/${slug}`);
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

test('an open-once paste is shown only after a click', async ({ visit }) => {
  const slug = await share({ content: 'burn me', maxViews: 1 });
  const page = await visit();
  await page.goto(`/paste/${slug}`);
  await page.reload();
  await page.getByRole('button', { name: 'Show it now' }).click();
  await expect(page.getByText('burn me')).toBeVisible();
});

test('hostile Markdown runs nothing, and previews of HTML reach nothing', async ({ browser }) => {
  const script = `<p id=p>still</p><script>p.textContent = (() => { try { return 'read ' + localStorage.length } catch { return 'refused' } })()</script>`;
  const slug = await share({ content: `${markdown}\n\n\`\`\`html\n${script}\n\`\`\``, syntax: 'markdown' });
  const page = await provoked(browser, { admin: true });
  await page.goto(`/paste/${slug}`);
  await expect(page.getByRole('heading', { name: 'Harbour log' })).toBeVisible();
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('#p')).toHaveText('still');
  await page.getByRole('button', { name: 'Run scripts' }).click();
  await expect(frame.locator('#p')).toHaveText('refused');
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  await page.context().close();
});

test('lines of code can be linked to', async ({ visit }) => {
  const content = Array.from({ length: 3000 }, (_, i) => `line ${i + 1}`).join('\n');
  const slug = await share({ content, syntax: 'text' });
  const page = await visit();
  await page.goto(`/paste/${slug}#L2500-L2502`);
  await expect(page.locator('[data-selected]')).toHaveCount(3);
  await expect(page.getByText('line 2500', { exact: true })).toBeInViewport();
});
