import { Buffer } from 'node:buffer';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { adminToken, serverUrl } from './api';
import { violations } from './axe';
import { expect, openContext } from './fixtures';
import { test } from './line';
import { sha256 } from './media';

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
  await visitor.getByRole('button', { name: 'More', exact: true }).click();
  await expect(visitor.getByRole('menuitem', { name: 'Print' })).toBeVisible();
  await expect(visitor.getByRole('menuitem', { name: 'Delete' })).toHaveCount(0);
  await visitor.keyboard.press('Escape');
  const [download] = await Promise.all([
    visitor.waitForEvent('download'),
    visitor.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('笔记 notes.txt');
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).equals(body)).toBe(true);

  await owner.goto(path);
  await owner.getByRole('button', { name: 'More', exact: true }).click();
  await owner.getByRole('menuitem', { name: 'Delete' }).click();
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(owner.getByRole('heading', { name: 'File deleted' })).toBeVisible();
  await visitor.reload();
  await expect(visitor.getByRole('heading', { name: /Share not found|no longer available/ })).toBeVisible();
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

test('a large file goes in parts, and goes on after a reload with the same file only', async ({
  visit,
  line,
  origin,
}) => {
  const mebibyte = 1 << 20;
  const folder = mkdtempSync(join(tmpdir(), 'pasteport-parts-'));
  const content = randomBytes(23 * mebibyte);
  const right = join(folder, '海图 chart.bin');
  const wrong = join(folder, 'wrong', '海图 chart.bin');
  const owner = await visit({ origin, admin: true });
  const asked: string[] = [];
  owner.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  try {
    writeFileSync(right, content);
    mkdirSync(join(folder, 'wrong'));
    writeFileSync(wrong, Buffer.concat([content.subarray(0, -1), Buffer.from([(content.at(-1) ?? 0) ^ 1])]));
    for (const file of [right, wrong]) utimesSync(file, 1_700_000_000, 1_700_000_000);

    // Two of five parts get through, the others hang until the upload is paused.
    line.through = 2;
    let stored = 0;
    owner.on('response', (response) => {
      if (response.url().includes('/api/blob/')) stored++;
    });
    await owner.goto('/upload');
    await owner.getByTestId('files').setInputFiles(right);
    const slug = randomUUID().slice(0, 18);
    await owner.getByLabel(/^Custom link/).fill(slug);
    await owner.getByRole('button', { name: 'Upload 1 file' }).click();
    const row = owner.getByRole('listitem').filter({ hasText: '海图 chart.bin' });
    await expect.poll(() => stored).toBe(2);
    await expect
      .poll(() => row.getByRole('progressbar').getAttribute('value').then(Number))
      .toBeGreaterThan(42);
    await row.getByRole('button', { name: 'Pause 海图 chart.bin' }).click();
    await expect(row.getByText('Paused')).toBeVisible();
    expect(await violations(owner)).toEqual([]);
    await owner.reload();
    expect(asked).toEqual(['beforeunload']);

    line.release();
    const sent: number[] = [];
    owner.on('requestfinished', (request) => {
      if (request.method() === 'PUT')
        sent.push(Number(new URL(request.url()).searchParams.get('partNumber')));
    });
    await expect(owner.getByText('10 MB of 23 MB uploaded')).toBeVisible();
    expect(await violations(owner)).toEqual([]);
    const again = owner.getByTestId('resume 海图 chart.bin');
    await again.setInputFiles(wrong);
    await expect(owner.getByText(/That’s a different file/)).toBeVisible();
    await again.setInputFiles(right);
    const link = owner.getByLabel('Share link of 海图 chart.bin');
    await expect(link).toHaveValue(new RegExp(`/file/${slug}$`));
    await expect(owner.getByRole('heading', { name: 'Unfinished uploads' })).toHaveCount(0);
    expect(new Set(sent).size).toBe(3);

    // Its terms are changed where the link is.
    await owner.getByRole('listitem').getByRole('button', { name: 'Edit info' }).click();
    const dialog = owner.getByRole('dialog');
    await dialog.getByLabel(/^Custom link/).fill(`${slug}-b`);
    expect(await violations(owner)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(link).toHaveValue(new RegExp(`/file/${slug}-b$`));

    const visitor = await visit();
    await visitor.goto(await link.inputValue());
    const [download] = await Promise.all([
      visitor.waitForEvent('download'),
      visitor.getByRole('group', { name: 'Actions' }).getByRole('link', { name: 'Download' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(sha256(Buffer.concat(chunks))).toBe(sha256(content));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

test('lines of code can be linked to, and blocks of them folded', async ({ visit }) => {
  const inBlock = (line: number) => (line > 1 && line <= 4) || (line > 2490 && line <= 2510);
  const content = Array.from({ length: 3000 }, (_, i) => `${inBlock(i + 1) ? '  ' : ''}line ${i + 1}`).join(
    '\n',
  );
  const slug = await share({ content, syntax: 'text' });
  const page = await visit();
  await page.goto(`/paste/${slug}#L2500-L2502`);
  await expect(page.locator('[data-selected]')).toHaveCount(3);
  const line = page.getByText('line 2500', { exact: true });
  await expect(line).toBeInViewport();

  await page.getByRole('button', { name: 'Fold all', exact: true }).click();
  await expect(line).toBeHidden();
  const block = page.getByRole('button', { name: 'Block, lines 2490 to 2510' });
  await expect(block).toHaveAttribute('aria-expanded', 'false');
  await page.evaluate(() => (location.hash = '#L2501'));
  await expect(page.getByText('line 2501', { exact: true })).toBeInViewport();
  await expect(block).toHaveAttribute('aria-expanded', 'true');

  // The link has opened its own block alone. Arrow keys go from block to block, fold and unfold.
  const first = page.getByRole('button', { name: 'Block, lines 1 to 4' });
  await expect(first).toHaveAttribute('aria-expanded', 'false');
  await first.focus();
  await page.keyboard.press('ArrowDown');
  await expect(block).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(line).toBeHidden();
  await page.keyboard.press('Enter');
  await expect(line).toBeVisible();
});
