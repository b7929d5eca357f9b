import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { adminToken, serverUrl } from './api';
import { violations } from './axe';
import { film, flv } from './film';
import { expect } from './fixtures';
import { test } from './line';
import { png } from './media';
import { wordsOf } from './words';

/** call speaks to the API as the administrator. */
async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${serverUrl()}/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${await adminToken()}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: T }).data;
}

/** put stores a file of a mount through the server. */
async function put(path: string, content: string | Buffer): Promise<void> {
  const response = await fetch(`${serverUrl()}/api/fs/upload?path=${encodeURIComponent(path)}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${await adminToken()}` },
    body: typeof content === 'string' ? content : new Uint8Array(content),
  });
  if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
}

const names = async (path: string) =>
  (await call<{ items: { name: string }[] }>('GET', `/fs/list?path=${encodeURIComponent(path)}`)).items.map(
    ({ name }) => name,
  );

const newFolder = (front = 'e2e') => `/local/${front}-${randomUUID().slice(0, 8)}`;
const pageOf = (path: string) => `/mount-explorer${path.split('/').map(encodeURIComponent).join('/')}`;
const line = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });

async function choose(page: Page, name: string, item: string) {
  await line(page, name).click({ button: 'right' });
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

test('folders and files are walked through, previewed, changed, shared and deleted', async ({ visit }) => {
  const at = newFolder();
  const odd = 'log #1 100%?&+.txt';
  await put(`${at}/港口 计划/${odd}`, 'first line\nsecond line\n');
  await put(`${at}/crane.txt`, 'crane');
  const page = await visit({ admin: true });

  // The session is confirmed late, while the visitor looks at the folder already: it stays as it is.
  let confirm = () => {};
  const confirmed = new Promise<void>((resolve) => (confirm = resolve));
  await page.route('**/api/test/admin-token', async (route) => {
    await confirmed;
    await route.continue();
  });
  await page.goto('/mount-explorer');
  const first = await line(page, 'local').elementHandle();
  const answered = page.waitForResponse('**/api/test/admin-token');
  confirm();
  await (await answered).finished();
  await page.unroute('**/api/test/admin-token');
  await line(page, 'local').focus();
  await expect(line(page, 'local')).toBeFocused();
  expect(await first?.evaluate((row) => row.isConnected)).toBe(true);
  await line(page, 'local').click();
  await line(page, at.slice('/local/'.length)).click();
  await line(page, '港口 计划').click();
  await line(page, odd).click();
  await expect(page.getByRole('heading', { level: 2, name: odd })).toBeVisible();
  await expect(page.getByText('second line')).toBeVisible();
  await page.reload();
  await expect(page.getByText('second line')).toBeVisible();
  await page.goBack();
  await expect(line(page, odd)).toBeVisible();
  await page
    .getByRole('navigation', { name: 'Path' })
    .getByRole('link', { name: at.slice(7) })
    .click();
  await expect(line(page, 'crane.txt')).toBeVisible();

  await page.getByRole('button', { name: 'New folder' }).click();
  const name = page.getByRole('dialog').getByLabel('Folder name');
  await name.fill('crane.txt');
  await expect(page.getByText('That name is already taken')).toBeVisible();
  await name.fill('Berths');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Folder Berths created')).toBeVisible();
  await expect(line(page, 'Berths')).toBeVisible();

  await choose(page, 'crane.txt', 'Rename…');
  await page.getByLabel('New name').fill('crane 2.txt');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Renamed to crane 2.txt')).toBeVisible();
  expect(await names(at)).toEqual(['Berths', '港口 计划', 'crane 2.txt']);

  await choose(page, 'crane 2.txt', 'Direct link…');
  const link = page.getByRole('dialog').getByLabel('Link', { exact: true });
  await expect(link).toHaveValue(/^http/);
  expect(await (await fetch(await link.inputValue())).text()).toBe('crane');
  await page.keyboard.press('Escape');

  await choose(page, 'crane 2.txt', 'Create share…');
  await page.getByRole('dialog').getByRole('button', { name: 'Create share' }).click();
  const share = page.getByRole('dialog', { name: 'Shared' }).getByLabel('Link', { exact: true });
  const visitor = await visit();
  await visitor.goto(new URL(await share.inputValue()).pathname);
  await expect(visitor.getByRole('heading', { level: 1, name: 'crane 2.txt' })).toBeVisible();

  // The box of the share has everything one does with a link, and the listing says that the file is shared.
  const box = page.getByRole('dialog', { name: 'Shared' });
  await expect(box.getByText('Link copied to the clipboard.')).toBeVisible();
  await expect(box.getByRole('button', { name: 'Copy direct link' })).toBeVisible();
  await box.getByRole('button', { name: 'QR code' }).click();
  await expect(page.getByRole('dialog', { name: 'QR code' }).getByRole('img')).toBeVisible();
  await page.keyboard.press('Escape');
  await box.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog', { name: 'Edit info' }).getByLabel('View limit').fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(box.getByText('Can be opened 7 times.')).toBeVisible();
  await page.keyboard.press('Escape');
  const mark = line(page, 'crane 2.txt').getByRole('button', { name: 'Shared by 1 link' });
  await expect(mark).toBeVisible();

  // A share with defaults can be edited from its message.
  await choose(page, 'crane 2.txt', 'Quick share');
  await page.getByRole('status').getByRole('button', { name: 'Edit' }).click();
  const terms = page.getByRole('dialog', { name: 'Edit info' });
  await terms.getByLabel('Title').fill('from the message');
  await terms.getByRole('button', { name: 'Save' }).click();
  await expect(terms).toBeHidden();
  await line(page, 'crane 2.txt').getByRole('button', { name: 'Shared by 2 links' }).click();
  const shares = page.getByRole('dialog', { name: 'Shares of crane 2.txt' });
  await expect(shares.getByLabel('Link', { exact: true })).toHaveCount(2);
  await shares.getByRole('button', { name: 'Stop sharing' }).first().click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop sharing' }).click();
  await expect(shares.getByLabel('Link', { exact: true })).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(mark).toBeVisible();

  await page.keyboard.press('Control+k');
  const wanted = page.getByRole('combobox', { name: /Part of a name/ });
  await wanted.fill('crane');
  const hit = page.getByRole('option', { name: /crane 2\.txt/ });
  await expect(hit).toBeVisible();
  // One Escape closes it, although the field holds a word.
  await page.keyboard.press('Escape');
  await expect(wanted).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await wanted.fill('crane');
  const kind = page.getByRole('combobox', { name: 'Type' });
  await kind.selectOption({ label: 'Images' });
  await expect(page.getByText('0 results · Mounts searched: 1')).toBeVisible();
  await kind.selectOption({ label: 'Text and code' });
  await page.getByRole('combobox', { name: 'Size' }).selectOption({ label: 'Custom range' });
  await page.getByLabel('To, in MB').fill('0,5');
  await expect(page.getByText('1 result · Mounts searched: 1')).toBeVisible();
  await expect(hit).toBeVisible();
  await wanted.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 2, name: 'crane 2.txt' })).toBeVisible();
  await page.getByRole('link', { name: 'Back to file list' }).click();

  await page.getByRole('checkbox', { name: 'Select all' }).check();
  const [archive] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('toolbar').getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(archive.suggestedFilename()).toMatch(/\.zip$/);
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete 3 items?' });
  await expect(question.getByText('港口 计划 (folder)')).toBeVisible();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('This folder is empty')).toBeVisible();
  await expect.poll(() => names(at)).toEqual([]);
});

test('files are uploaded whole and in parts, and a cut upload goes on after a reload', async ({
  visit,
  line: wire,
  origin,
}, testInfo) => {
  const at = newFolder();
  await call('POST', '/fs/mkdir', { path: `${at}/` });
  const page = await visit({ origin, admin: true, expected: /net::ERR_FAILED|ERR_ABORTED/ });
  await page.goto(pageOf(at));
  await page.getByRole('button', { name: 'Upload' }).first().click();
  await page
    .getByTestId('files')
    .setInputFiles({ name: '笔记 notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect(page.getByRole('dialog').getByText('Done')).toBeVisible();

  // 21 MiB go in five parts; the last two never arrive before the page is closed.
  const large = testInfo.outputPath('large.bin');
  writeFileSync(large, Buffer.alloc(21 << 20, 'x'));
  let stored = 0;
  wire.through = 3;
  let before = wire.parts;
  page.on('response', (response) => {
    if (response.url().includes('/api/blob/')) stored++;
  });
  await page.getByTestId('files').setInputFiles(large);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect.poll(() => stored, { timeout: 90_000 }).toBe(3);
  await expect.poll(() => wire.parts - before).toBe(5);
  await page.getByRole('button', { name: 'Pause large.bin' }).click();
  await expect(page.getByText('Paused')).toBeVisible();
  await page.reload();
  wire.release();
  before = wire.parts;
  await expect(line(page, '笔记 notes.txt')).toBeVisible();
  // What the closed page was at is among the tasks; it goes on with its file, and with no other.
  await page.getByRole('button', { name: 'Tasks' }).click();
  const tasks = page.getByRole('dialog', { name: 'Tasks' });
  const left = tasks.getByRole('region', { name: 'Unfinished uploads' });
  await expect(left.getByText('15 MB of 21 MB uploaded')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    left.getByRole('button', { name: 'Choose the file' }).click(),
  ]);
  await chooser.setFiles({ name: 'large.bin', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await expect(left.getByText(/^That’s a different file. Choose large.bin/)).toBeVisible();
  await left.getByTestId('resume large.bin').setInputFiles(large);
  const transfer = tasks.getByRole('listitem').filter({ hasText: 'Upload of 1 file' });
  await expect(transfer.getByText('Done', { exact: true }).first()).toBeVisible({ timeout: 90_000 });
  await expect(left).toHaveCount(0);
  await transfer.getByText('1 file', { exact: true }).click();
  await expect(transfer.getByText(`${at}/large.bin`)).toBeVisible();
  expect(wire.parts - before).toBe(2);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await expect(line(page, 'large.bin')).toContainText('21 MB');

  // An upload that was begun elsewhere: its first part proves it.
  const begun = await call<{ presignedUrls: { url: string }[] }>('POST', '/fs/multipart/init', {
    path: at,
    fileName: 'film.bin',
    fileSize: 21 << 20,
    partSize: 5 << 20,
    partCount: 5,
  });
  for (const { url } of begun.presignedUrls.slice(0, 2))
    await fetch(new URL(url, serverUrl()), { method: 'PUT', body: new Uint8Array(5 << 20).fill(120) });
  const film = testInfo.outputPath('film.bin');
  writeFileSync(film, Buffer.alloc(21 << 20, 'x'));
  before = wire.parts;
  await page.getByRole('button', { name: 'Upload' }).first().click();
  await page
    .getByTestId('files')
    .setInputFiles([{ name: '笔记 notes.txt', mimeType: 'text/plain', buffer: Buffer.from('again') }]);
  await page.getByTestId('files').setInputFiles(film);
  // The same name once more: it is kept beside the other.
  await expect(page.getByText('1 file already exists.')).toBeVisible();
  await page.getByRole('radio', { name: 'Skip' }).check();
  await page.getByRole('combobox', { name: 'What to do with 笔记 notes.txt' }).selectOption('both');
  await page.getByRole('button', { name: 'Upload 2 files' }).click();
  const question = page.getByRole('dialog', { name: 'Resume film.bin?' });
  await expect(question.getByText('2 of 5 parts')).toBeVisible({ timeout: 60_000 });
  await expect(question.getByText('recommended')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(() => names(at), { timeout: 90_000 }).toContain('film.bin');
  expect(wire.parts - before).toBe(4);
  expect(await names(at)).toContain('笔记 notes(1).txt');
});

test('an upload begun in the explorer is listed, paused and resumed on the upload page, and the other way', async ({
  visit,
  line: wire,
  origin,
}, testInfo) => {
  const at = newFolder();
  await call('POST', '/fs/mkdir', { path: `${at}/` });
  const page = await visit({ origin, admin: true, expected: /net::ERR_FAILED|ERR_ABORTED/ });
  const large = testInfo.outputPath('cargo.bin');
  writeFileSync(large, Buffer.alloc(21 << 20, 'x'));
  // Of five parts the last two do not arrive before the page is closed.
  let stored = 0;
  wire.through = 3;
  page.on('response', (response) => {
    if (response.url().includes('/api/blob/')) stored++;
  });
  await page.goto(pageOf(at));
  await page.getByRole('button', { name: 'Upload' }).first().click();
  await page.getByTestId('files').setInputFiles(large);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect.poll(() => stored, { timeout: 90_000 }).toBe(3);
  await expect.poll(() => wire.parts).toBe(5);
  await page.getByRole('button', { name: 'Continue in background' }).click();

  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  const row = page
    .getByRole('region', { name: 'Files' })
    .getByRole('listitem')
    .filter({ hasText: 'cargo.bin' });
  await expect(row).toContainText(`${at}/`);
  await row.getByRole('button', { name: 'Pause cargo.bin' }).click();
  await expect(row.getByText(/^Paused at/)).toBeVisible();
  await row.getByRole('button', { name: 'Resume cargo.bin' }).click();
  await expect.poll(() => wire.parts).toBe(7);
  await row.getByRole('button', { name: 'Pause cargo.bin' }).click();
  await expect(row.getByText(/^Paused at/)).toBeVisible();
  expect(await violations(page)).toEqual([]);

  // After a reload its file is chosen again, here as in the explorer; only the rest is sent.
  await page.reload();
  wire.release();
  let before = wire.parts;
  const left = page.getByRole('region', { name: 'Unfinished uploads' });
  await expect(left.getByText(at, { exact: true })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const again = left.getByTestId('resume cargo.bin');
  await again.setInputFiles({ name: 'cargo.bin', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await expect(left.getByText(/^That’s a different file. Choose cargo.bin/)).toBeVisible();
  await again.setInputFiles(large);
  await expect(left).toHaveCount(0);
  await expect.poll(() => names(at), { timeout: 90_000 }).toContain('cargo.bin');
  expect(wire.parts - before).toBe(2);

  // A share that is begun here goes on in the explorer.
  stored = 0;
  before = wire.parts;
  wire.through = 3;
  const other = testInfo.outputPath('ballast.bin');
  writeFileSync(other, Buffer.alloc(21 << 20, 'y'));
  await page.getByTestId('files').setInputFiles(other);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect.poll(() => stored, { timeout: 90_000 }).toBe(3);
  await expect.poll(() => wire.parts - before).toBe(5);
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  await page.getByRole('button', { name: 'Tasks' }).click();
  const tasks = page.getByRole('dialog', { name: 'Tasks' });
  await expect(tasks.getByRole('region', { name: 'Active' })).toContainText('ballast.bin');
  await expect(tasks.getByRole('region', { name: 'Unfinished uploads' })).toHaveCount(0);
  await tasks.getByRole('button', { name: 'Show files' }).click();
  const share = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'ballast.bin' });
  await expect(share).toContainText('To be shared');
  await share.getByRole('button', { name: 'Pause ballast.bin' }).click();
  await expect(share.getByText(/^Paused at/)).toBeVisible();
  wire.release();
  await share.getByRole('button', { name: 'Resume ballast.bin' }).click();
  await expect(share).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  await expect(page.getByLabel('Share link of ballast.bin')).toBeVisible();
  expect(wire.parts - before).toBe(7);
});

test('texts are edited in their encoding, and never over the change of another', async ({ visit }) => {
  const at = newFolder();
  // Two lines of GBK with a line end of Windows.
  await put(`${at}/gbk.txt`, Buffer.from([0xb8, 0xdb, 0xbf, 0xda, 13, 10, 0xc4, 0xe3, 0xba, 0xc3]));
  const bytes = async () => {
    const response = await fetch(
      `${serverUrl()}/api/fs/download?path=${encodeURIComponent(`${at}/gbk.txt`)}`,
      { headers: { Authorization: `Bearer ${await adminToken()}` } },
    );
    return Buffer.from(await response.arrayBuffer()).toString('hex');
  };
  const page = await visit({ admin: true, expected: /412/ });
  await page.goto(`${pageOf(at)}?preview=gbk.txt`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const text = page.getByRole('textbox', { name: 'Text of gbk.txt' });
  await expect(text).toBeVisible();
  await page.getByRole('combobox', { name: 'Encoding' }).selectOption('gbk');
  await expect(text).toContainText('港口');
  await text.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('你');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('gbk.txt saved')).toBeVisible();
  expect(await bytes()).toBe('c4e3b8dbbfda0d0ac4e3bac3');

  await put(`${at}/gbk.txt`, 'written by another\n');
  await text.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('!');
  await page.keyboard.press('Control+s');
  const conflict = page.getByRole('dialog', { name: 'The file has changed' });
  await expect(conflict.getByRole('region', { name: 'Current file' })).toContainText('another');
  await expect(conflict.getByRole('region', { name: 'My text' })).toContainText('你好!');
  expect(await violations(page)).toEqual([]);
  await conflict.getByRole('button', { name: 'Save mine as a copy' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'gbk(1).txt' })).toBeVisible();
  expect(await bytes()).toBe(Buffer.from('written by another\n').toString('hex'));

  // The text of a program folds by its blocks; Alt+Z wraps its lines, here and where it is only shown.
  await put(`${at}/crane.go`, `package crane\n\nfunc lift() {\n\tload()\n}\n\n// ${'long '.repeat(80)}\n`);
  await page.goto(`${pageOf(at)}?preview=crane.go`);
  const wrapping = page.getByRole('button', { name: 'Wrap lines' });
  await expect(wrapping).toHaveAttribute('aria-pressed', 'false');
  await page.keyboard.press('Alt+z');
  await expect(wrapping).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const code = page.getByRole('textbox', { name: 'Text of crane.go' });
  await expect(code).toContainText('load()');
  await page.getByTitle('Fold the block', { exact: true }).filter({ visible: true }).click();
  await expect(code).not.toContainText('load()');
  await page.getByLabel('folded lines').click();
  await expect(code).toContainText('load()');
  const wrapped = page.locator('.cm-lineWrapping');
  await expect(wrapped).toHaveCount(1);
  await code.click();
  await page.keyboard.press('Alt+z');
  await expect(wrapped).toHaveCount(0);
  await page.goto(pageOf(at));
  await line(page, 'gbk(1).txt').click();

  // What is not saved is asked about, and kept on this device.
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const copy = page.getByRole('textbox', { name: 'Text of gbk(1).txt' });
  await copy.click();
  await page.keyboard.type('kept ');
  await page.getByRole('link', { name: 'Back to file list' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await page.goBack();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(copy).toContainText('kept ');
  await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('pp.own.edit:')));
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('button', { name: 'Restore it' }).click();
  await expect(copy).toContainText('kept ');
});

test('pictures, basket, dragging and the README of a folder', async ({ visit }) => {
  const at = newFolder();
  await put(`${at}/wide.png`, png(80, 40));
  await put(`${at}/tall.png`, png(40, 80));
  await put(`${at}/README.md`, '# Of the harbour\n');
  await put(`${at}/Berths/north.txt`, 'x');
  await put(`${at}/a.txt`, 'a');
  const page = await visit({ admin: true, expected: /404/ });
  const fetched: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.startsWith('/api/fs/')) fetched.push(`${pathname} ${searchParams.get('path') ?? ''}`);
  });
  await page.goto(pageOf(at));
  await expect(page.getByRole('heading', { name: 'Of the harbour' })).toBeVisible();

  // A band around two lines, drawn where their names do not reach.
  const edge = async (name: string) => {
    const box = await line(page, name).boundingBox();
    if (!box) throw new Error(`${name} is not drawn`);
    return { x: box.x + box.width - 120, y: box.y + box.height / 2 };
  };
  const [first, last] = [await edge('a.txt'), await edge('README.md')];
  await page.mouse.move(first.x, first.y);
  await page.mouse.down();
  await page.mouse.move(last.x - 200, last.y, { steps: 5 });
  await page.mouse.up();
  await expect(page.getByRole('toolbar').getByText('2 selected')).toBeVisible();
  await page.getByRole('button', { name: 'Add to basket' }).click();
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.reload();

  await line(page, 'a.txt').getByText('a.txt').dragTo(line(page, 'Berths'));
  await expect(page.getByText('Moved', { exact: true })).toBeVisible();
  expect(await names(`${at}/Berths`)).toEqual(['a.txt', 'north.txt']);
  await choose(page, 'Berths', 'Calculate size');
  await expect(page.getByText('Berths: 2 B in 2 files')).toBeVisible();

  // Of what is in the basket one has gone; the other is packed.
  await page.getByRole('button', { name: 'File basket, 2 items' }).click();
  const [archive] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Pack and download' }).click(),
  ]);
  expect(archive.suggestedFilename()).toBe('basket.zip');
  await expect(page.getByText('1 item is no longer available and was skipped.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove a.txt from the basket' }).click();
  await expect(page.getByRole('dialog').getByText('1 file', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Gallery', exact: true }).click();
  await expect(page.getByText('2 images')).toBeVisible();
  await expect(page.locator('[role=gridcell] img')).toHaveCount(2);
  // The server makes them small; the originals stay where they are.
  expect(fetched.filter((call) => call.includes('.png')).sort()).toEqual([
    `/api/fs/thumbnail ${at}/tall.png`,
    `/api/fs/thumbnail ${at}/wide.png`,
  ]);
  const tall = page.getByRole('gridcell').filter({ hasText: 'tall.png' });
  // A menu closes when the page scrolls, as it may while pictures arrive.
  await expect(async () => {
    await tall.click({ button: 'right' });
    await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible({ timeout: 3000 });
  }).toPass();
  await page.keyboard.press('Escape');
  await tall.click();
  await expect(page.getByRole('dialog', { name: 'tall.png' })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('dialog', { name: 'wide.png' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'View options' }).click();
  await page.getByRole('checkbox', { name: 'Images only' }).check();
  await page.getByRole('checkbox', { name: /README/ }).uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('gridcell').getByText('Berths', { exact: true })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Of the harbour' })).toHaveCount(0);
});

test('wide windows have a tree to drop on, details of what is selected, and columns one chooses', async ({
  visit,
}) => {
  // The first of all, so that no folder of another test pushes it down while one is dropped on it.
  const at = newFolder('0');
  await put(`${at}/plan.txt`, 'plan');
  await put(`${at}/crane.txt`, 'crane');
  await put(`${at}/Quay/north.txt`, 'x');
  const page = await visit({ admin: true });
  await page.goto(pageOf(at));
  const tree = page.getByRole('tree', { name: 'Folder tree' });
  const quay = tree.getByRole('treeitem', { name: 'Quay' });

  await line(page, 'plan.txt').getByText('plan.txt').dragTo(quay);
  await expect(page.getByText('Moved', { exact: true })).toBeVisible();
  expect(await names(`${at}/Quay`)).toEqual(['north.txt', 'plan.txt']);
  await page.keyboard.down('Control');
  await line(page, 'crane.txt').getByText('crane.txt').dragTo(quay);
  await page.keyboard.up('Control');
  await expect.poll(() => names(`${at}/Quay`)).toEqual(['crane.txt', 'north.txt', 'plan.txt']);
  expect(await names(at)).toEqual(['Quay', 'crane.txt']);

  // The tree stays, with its focus, while one walks in it by keys.
  await tree.getByRole('treeitem', { selected: true }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(quay).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(line(page, 'north.txt')).toBeVisible();
  await expect(quay).toBeFocused();

  await page.getByRole('button', { name: 'Details' }).click();
  const details = page.getByRole('complementary', { name: 'Details' });
  await expect(details).toContainText('Select a file or folder');
  const before = await page.getByRole('grid').boundingBox();
  await page.getByRole('checkbox', { name: 'Select plan.txt' }).check();
  await expect(details.getByRole('heading', { name: 'plan.txt' })).toBeVisible();
  await expect(details).toContainText(`${at}/Quay/plan.txt`);
  // The tools of a selection take the place of the others.
  expect(await page.getByRole('grid').boundingBox()).toEqual(before);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.getByRole('button', { name: 'Details' }).click();

  await page.getByRole('button', { name: 'View options' }).click();
  await page.getByRole('checkbox', { name: 'Type' }).check();
  await page.getByRole('checkbox', { name: 'Size' }).uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await expect(line(page, 'plan.txt').getByText('Text (TXT)')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('columnheader', { name: 'Type' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
});

/** reach presses a key until an element has the focus, as people do who have no mouse. */
async function reach(page: Page, key: string, element: Locator) {
  await expect(element).toBeVisible();
  for (let presses = 0; presses < 80; presses++) {
    if (await element.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  await expect(element).toBeFocused();
}

test('folders are walked through, files uploaded, copied and deleted by keys alone', async ({ visit }) => {
  const at = newFolder();
  for (const name of ['a.txt', 'b.txt', 'c 10.txt', 'c 9.txt']) await put(`${at}/${name}`, name);
  await put(`${at}/Target/keep.txt`, 'x');
  const page = await visit({ admin: true });
  await page.goto(pageOf('/local'));
  const folder = line(page, at.slice(7));
  await expect(folder).toBeVisible();
  // One stop of Tab is the whole listing; letters lead through it.
  await reach(page, 'Tab', page.locator('[data-index][tabindex="0"]'));
  await page.keyboard.type(at.slice(7));
  await expect(folder).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(line(page, 'Target')).toBeFocused();
  await page.keyboard.press('a');
  await expect(line(page, 'a.txt')).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByRole('toolbar').getByText('2 selected')).toBeVisible();

  await page.keyboard.press('ContextMenu');
  await reach(page, 'ArrowDown', page.getByRole('menuitem', { name: 'Copy 2 items to…' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Copy 2 items' });
  await reach(page, 'Tab', dialog.locator('[role=treeitem][tabindex="0"]'));
  await reach(page, 'ArrowDown', dialog.getByRole('treeitem', { name: 'Target', exact: true }));
  await page.keyboard.press('Enter');
  await reach(page, 'Tab', dialog.getByRole('button', { name: 'Copy here' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  expect(await names(`${at}/Target`)).toEqual(['a.txt', 'b.txt', 'keep.txt']);

  await reach(page, 'Tab', page.getByRole('button', { name: 'Tasks' }));
  await page.keyboard.press('Enter');
  const tasks = page.getByRole('dialog', { name: 'Tasks' });
  await expect(tasks.getByRole('region', { name: 'Finished' }).getByText('Done').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Tasks' })).toBeFocused();

  // A file is looked at, and the one after it; Escape leads back to the list.
  await reach(page, 'Tab', page.locator('[data-index][tabindex="0"]'));
  await reach(page, 'ArrowDown', line(page, 'b.txt'));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 2, name: 'b.txt' })).toBeVisible();
  await page.keyboard.press('Alt+ArrowRight');
  await expect(page.getByRole('heading', { level: 2, name: 'c 9.txt' })).toBeVisible();
  await page.keyboard.press('Escape');

  await reach(page, 'Tab', page.locator('[data-index][tabindex="0"]'));
  await reach(page, 'ArrowDown', line(page, 'c 9.txt'));
  await page.keyboard.press('Delete');
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 item deleted')).toBeVisible();
  await expect(line(page, 'c 9.txt')).toHaveCount(0);

  await reach(page, 'Shift+Tab', page.getByRole('button', { name: 'Upload', exact: true }));
  await page.keyboard.press('Enter');
  const upload = page.getByRole('dialog', { name: 'Upload files' });
  // The browser has to know that the choice is made here before it is asked for one.
  const choosing = page.waitForEvent('filechooser');
  await expect(upload.getByRole('button', { name: 'Choose files' })).toBeFocused();
  await page.keyboard.press('Enter');
  const chooser = await choosing;
  await chooser.setFiles({ name: 'd.txt', mimeType: 'text/plain', buffer: Buffer.from('d') });
  await reach(page, 'Tab', upload.getByRole('button', { name: 'Upload 1 file' }));
  await page.keyboard.press('Enter');
  await expect(upload.getByText('Done')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(line(page, 'd.txt')).toBeVisible();
  await reach(page, 'Tab', page.locator('[data-index][tabindex="0"]'));
  await page.keyboard.press('Backspace');
  await expect(folder).toBeFocused();
});

test('ten thousand entries are one grid of which little is drawn', async ({ visit }) => {
  const page = await visit({ admin: true });
  const items = Array.from({ length: 10_000 }, (_, at) => ({
    name: `file ${at + 1}.txt`,
    path: `/local/many/file ${at + 1}.txt`,
    isDirectory: false,
    size: (at * 7919) % 10_000,
    modified: new Date(1.7e12 + at * 1000).toISOString(),
    type: 4,
  }));
  await page.route('**/api/fs/list?*', (route) =>
    route.fulfill({
      json: {
        code: 200,
        success: true,
        data: { path: '/local/many/', isVirtual: false, mount_id: 'm', items },
      },
    }),
  );
  await page.goto('/mount-explorer/local/many');
  const grid = page.getByRole('grid');
  await expect(grid).toHaveAttribute('aria-rowcount', '10001');
  await expect(page.getByText('10,000 files')).toBeAttached();
  await line(page, 'file 1.txt').focus();
  await page.keyboard.press('End');
  await expect(line(page, 'file 10000.txt')).toBeFocused();
  await expect(line(page, 'file 10000.txt')).toBeInViewport();
  await expect(line(page, 'file 10000.txt')).toHaveAttribute('aria-rowindex', '10001');
  expect(await page.getByRole('row').count()).toBeLessThan(120);
  await page.getByRole('columnheader', { name: 'Size' }).getByRole('button').click();
  await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-sort', 'ascending');
  await page.keyboard.press('Control+Home');
  await page.getByRole('button', { name: 'Grid', exact: true }).click();
  await expect(page.getByRole('gridcell').first()).toBeVisible();
  expect(await page.getByRole('gridcell').count()).toBeLessThan(400);
});

test('a key sees its own folder and only what it may do', async ({ visit }) => {
  const at = newFolder();
  await put(`${at}/own/a.txt`, 'a');
  const { key } = await call<{ key: string }>('POST', '/admin/api-keys', {
    name: `explorer ${at}`,
    permissions: 256,
    basic_path: `${at}/own`,
    expires_at: 'never',
  });
  const page = await visit({ stored: { api_key: key } });
  await page.goto(pageOf(at));
  await expect(page).toHaveURL(new RegExp(`${pageOf(`${at}/own`)}$`));
  await line(page, 'a.txt').click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Download' })).toBeVisible();
  for (const name of ['Rename', 'Delete', 'Copy to…', 'Move to…', 'Create share'])
    await expect(page.getByRole('menuitem', { name })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Upload' })).toHaveCount(0);
});

test('a finger that rests opens the menu in every view, and letting go chooses nothing in it', async ({
  visit,
}) => {
  const at = newFolder();
  await put(`${at}/map.png`, png(300, 300));
  const page = await visit({ admin: true, phone: true });
  await page.goto(pageOf(at));
  const session = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints });
  const entry = page.getByRole('gridcell').filter({ hasText: 'map.png' }).first();
  const menu = page.getByRole('menu', { name: /map\.png/ });
  /** rest puts a finger on the picture until the menu is there. */
  const rest = async () => {
    // This only waits until it stands still.
    await entry.click({ trial: true });
    const { x, y, width, height } = (await entry.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const middle = { x: x + width / 2, y: y + height / 2 };
    await touch('touchStart', [middle]);
    await expect(menu).toBeVisible();
    return middle;
  };
  for (const [view, label] of [
    ['List', 'Files and folders'],
    ['Grid', 'Files and folders'],
    ['Gallery', 'Images'],
  ] as const) {
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByRole('menuitemradio', { name: view }).click();
    await expect(page.getByRole('grid', { name: label })).toBeVisible();
    await rest();
    await touch('touchEnd', []);
    // A choice would have closed the menu, and a tap behind it would have opened the picture.
    await page.getByRole('menuitem', { name: 'Details' }).tap();
    await expect(page.getByRole('dialog', { name: 'map.png' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  await expect(page).toHaveURL(pageOf(at));
  await expect(page.getByRole('button', { name: 'File basket', exact: true })).toBeVisible();

  // A finger that goes on selects instead.
  const { x, y } = await rest();
  await touch('touchMove', [{ x, y: y + 40 }]);
  await expect(menu).toHaveCount(0);
  await touch('touchEnd', []);
  await expect(entry).toHaveAttribute('aria-selected', 'true');
});

for (const [language, theme, phone] of [
  ['en-US', 'light', false],
  ['zh-CN', 'dark', true],
] as const)
  test(`screens are sound: ${language}, ${theme}, ${phone ? 'phone' : 'desktop'}`, async ({ visit }) => {
    const at = newFolder();
    await put(`${at}/Berths/north.txt`, 'x');
    await put(`${at}/港口 计划/plan.md`, '# Plan');
    await put(`${at}/map.png`, png(40, 30));
    await put(`${at}/notes about a very long winter that never wanted to end at the harbour.md`, '# Notes');
    await put(`${at}/tariff.pdf`, '%PDF-1.4');
    await put(`${at}/ferry.flv`, flv());
    const say = await wordsOf(language);
    const page = await visit({ admin: true, language, phone, stored: { themeMode: theme } });
    // What moves under the eyes by itself, summed as browsers do. What moves after a press is
    // its answer, which a slow machine gives later than browsers reckon with.
    await page.addInitScript(() => {
      const seen = { sum: 0 };
      Object.assign(window, { shifts: seen });
      let pressed = false;
      for (const press of ['pointerdown', 'keydown'])
        addEventListener(press, () => (pressed = true), { capture: true, once: true });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          const { value, hadRecentInput } = entry as PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
          };
          if (!hadRecentInput && !pressed) seen.sum += value;
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const look = async (name: string) => {
      const shift = await page.evaluate(() => (window as unknown as { shifts: { sum: number } }).shifts.sum);
      expect.soft(shift, `${name} shifts`).toBeLessThanOrEqual(0.05);
      expect.soft(await violations(page), name).toEqual([]);
      expect
        .soft(
          await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          ),
          `${name} overflows`,
        )
        .toBe(0);
      const look = `${language.slice(0, 2)}.${theme}.${phone ? 'phone' : 'desktop'}`;
      await page.screenshot({ path: `test-results/screens/explorer-${name}.${look}.png` });
    };
    const dialog = async (kind: string, item: string) => {
      await line(page, 'map.png')
        .getByRole('button', { name: say('explorer.list.more', { name: 'map.png' }) })
        .click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await look(kind);
      await page.keyboard.press('Escape');
    };

    await page.goto('/mount-explorer');
    await expect(line(page, 'local')).toBeVisible();
    await look('root');
    await page.goto(pageOf(at));
    await expect(line(page, 'map.png')).toBeVisible();
    await look('list');
    await dialog('link', `${say('explorer.menu.link')}…`);
    await dialog('share', `${say('explorer.menu.share')}…`);
    await dialog('copy', say('explorer.menu.copy'));
    await dialog('facts', say('explorer.menu.facts'));
    await page.getByRole('button', { name: say('explorer.tools.search') }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await look('search');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: say('explorer.tools.tasks') }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await look('tasks');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: say('explorer.tools.upload') }).click();
    await page
      .getByTestId('files')
      .setInputFiles({ name: 'tariff.pdf', mimeType: 'application/pdf', buffer: Buffer.from('x') });
    await look('upload');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: say('explorer.select.start'), exact: true }).click();
    await page.getByRole('checkbox', { name: say('explorer.list.select', { name: 'map.png' }) }).check();
    await look('selected');
    await page
      .getByRole('button', { name: say(`explorer.select.${phone ? 'end' : 'clear'}`), exact: true })
      .click();
    const show = async (view: string) => {
      if (phone) await page.getByRole('button', { name: say('explorer.tools.view'), exact: true }).click();
      const role = phone ? 'menuitemradio' : 'button';
      await page.getByRole(role, { name: say(`explorer.tools.${view}`), exact: true }).click();
    };
    await show('grid');
    await look('grid');
    await show('gallery');
    await expect(page.getByRole('grid', { name: say('explorerDialogs.gallery.label') })).toBeVisible();
    await expect(page.locator('[role=gridcell] img')).toHaveCount(1);
    await look('gallery');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: say('shortcuts.title') })).toBeVisible();
    await look('keys');
    await page.keyboard.press('Escape');
    if (phone) await page.getByRole('button', { name: say('explorer.tools.view'), exact: true }).click();
    await page
      .getByRole(phone ? 'menuitem' : 'button', { name: say('explorer.view.title'), exact: true })
      .click();
    await look('view');
    await page.keyboard.press('Escape');
    await page.evaluate(
      (path) =>
        localStorage.setItem(
          'pp.own.basket',
          JSON.stringify([{ path: `${path}/map.png`, name: 'map.png', isDirectory: false, size: 9 }]),
        ),
      at,
    );
    await page.reload();
    await page.getByRole('button', { name: say('explorer.tools.basketOf', { smart_count: 1 }) }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await look('basket');
    await page.keyboard.press('Escape');
    await page.goto(`${pageOf(at)}?preview=map.png`);
    await expect(page.getByRole('img', { name: 'map.png' })).toBeVisible();
    await look('preview');
    await page.goto(`${pageOf(at)}?preview=ferry.flv`);
    await expect
      .poll(() => page.locator('video').evaluate((video: HTMLVideoElement) => video.videoWidth))
      .toBe(film.width);
    await look('film');
    await page.goto(`${pageOf(at)}?preview=tariff.pdf`);
    await expect(page.locator('iframe, [role=alert]').first()).toBeVisible();
    await look('pdf');
    await page.goto(`${pageOf(at)}?preview=map.png`);
    await page.getByRole('button', { name: say('explorer.preview.next') }).click();
    const edit = say('explorer.preview.edit');
    if (phone) {
      await page.getByRole('button', { name: say('explorer.preview.more') }).click();
      await page.getByRole('menuitem', { name: edit }).click();
    } else await page.getByRole('button', { name: edit, exact: true }).click();
    await expect(page.getByRole('textbox', { name: /notes/ })).toBeVisible();
    await look('edit');
    await page.goto(pageOf(`${at}/nothing`));
    await expect(page.getByText(say('explorer.problem.missing', { path: `${at}/nothing` }))).toBeVisible();
    await expect(
      page.getByRole('link', { name: say('explorer.problem.nearest', { path: at }) }),
    ).toBeVisible();
    await look('missing');
  });
