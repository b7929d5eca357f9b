import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { adminToken, serverUrl } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';
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

const newFolder = () => `/local/e2e-${randomUUID().slice(0, 8)}`;
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

  await page.goto('/mount-explorer');
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
  const name = page.getByRole('dialog').getByLabel('Name of the folder');
  await name.fill('crane.txt');
  await expect(page.getByText('There is something of this name already')).toBeVisible();
  await name.fill('Berths');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Folder Berths created')).toBeVisible();
  await expect(line(page, 'Berths')).toBeVisible();

  await choose(page, 'crane.txt', 'Rename');
  await page.getByLabel('New name').fill('crane 2.txt');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Renamed to crane 2.txt')).toBeVisible();
  expect(await names(at)).toEqual(['Berths', '港口 计划', 'crane 2.txt']);

  await choose(page, 'crane 2.txt', 'Direct link');
  const link = page.getByRole('dialog').getByLabel('Link', { exact: true });
  await expect(link).toHaveValue(/^http/);
  expect(await (await fetch(await link.inputValue())).text()).toBe('crane');
  await page.keyboard.press('Escape');

  await choose(page, 'crane 2.txt', 'Create share');
  await page.getByRole('dialog').getByRole('button', { name: 'Create share' }).click();
  const share = page.getByRole('dialog', { name: 'Shared' }).getByLabel('Link', { exact: true });
  const visitor = await visit();
  await visitor.goto(new URL(await share.inputValue()).pathname);
  await expect(visitor.getByRole('heading', { level: 1, name: 'crane 2.txt' })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('crane');
  await expect(page.getByRole('option', { name: /crane 2\.txt/ })).toBeVisible();
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
  await expect(page.getByText('This directory is empty')).toBeVisible();
  await expect.poll(() => names(at)).toEqual([]);
});

test('files are uploaded whole and in parts, and a cut upload goes on after a reload', async ({
  visit,
}, testInfo) => {
  const at = newFolder();
  await call('POST', '/fs/mkdir', { path: `${at}/` });
  const page = await visit({ admin: true, expected: /net::ERR_FAILED|ERR_ABORTED/ });
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
  let [sent, stored] = [0, 0];
  await page.route('**/api/blob/**', async (route) => {
    if (++sent <= 3) await route.continue();
  });
  page.on('response', (response) => {
    if (response.url().includes('/api/blob/')) stored++;
  });
  await page.getByTestId('files').setInputFiles(large);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect.poll(() => stored, { timeout: 90_000 }).toBe(3);
  await expect.poll(() => sent).toBe(5);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.unroute('**/api/blob/**');
  sent = 0;
  await page.route('**/api/blob/**', (route) => {
    sent++;
    return route.continue();
  });
  await expect(line(page, '笔记 notes.txt')).toBeVisible();
  await page.getByRole('button', { name: 'Upload' }).first().click();
  await page.getByTestId('files').setInputFiles(large);
  await expect(page.getByText('Goes on where it stopped')).toBeVisible();
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect(page.getByRole('dialog').getByText('Done')).toBeVisible({ timeout: 90_000 });
  expect(sent).toBe(2);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await expect(line(page, 'large.bin')).toContainText('21 MB');
});

test('everything is copied, moved and deleted by keyboard alone', async ({ visit }) => {
  const at = newFolder();
  for (const name of ['a.txt', 'b.txt', 'c 10.txt', 'c 9.txt']) await put(`${at}/${name}`, name);
  await put(`${at}/Target/keep.txt`, 'x');
  const page = await visit({ admin: true });
  await page.goto(pageOf('/local'));
  await line(page, at.slice(7)).focus();
  await page.keyboard.press('Enter');
  await expect(line(page, 'Target')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(line(page, 'a.txt')).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByRole('toolbar').getByText('2 selected')).toBeVisible();

  await page.keyboard.press('ContextMenu');
  await page.getByRole('menuitem', { name: 'Copy 2 items to…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Copy 2 items' });
  const target = dialog.getByRole('treeitem', { name: 'Target', exact: true });
  await target.focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Copy here' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  expect(await names(`${at}/Target`)).toEqual(['a.txt', 'b.txt', 'keep.txt']);

  await page.getByRole('button', { name: 'Tasks' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Tasks' }).getByText('Done').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Tasks' })).toBeFocused();

  await line(page, 'c 9.txt').focus();
  await page.keyboard.press('Delete');
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 item deleted')).toBeVisible();
  await expect(line(page, 'c 9.txt')).toHaveCount(0);
  await line(page, 'c 10.txt').focus();
  await page.keyboard.press('Backspace');
  await expect(line(page, at.slice(7))).toBeFocused();
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
    const say = await wordsOf(language);
    const page = await visit({ admin: true, language, phone, stored: { themeMode: theme } });
    const look = async (name: string) => {
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
    await dialog('link', say('explorer.menu.link'));
    await dialog('share', say('explorer.menu.share'));
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
    await page.getByRole('button', { name: say('explorer.select.clear') }).click();
    const show = async (view: string) => {
      if (phone) await page.getByRole('button', { name: say('explorer.tools.view'), exact: true }).click();
      const role = phone ? 'menuitemradio' : 'button';
      await page.getByRole(role, { name: say(`explorer.tools.${view}`), exact: true }).click();
    };
    await show('grid');
    await look('grid');
    await page.goto(`${pageOf(at)}?preview=map.png`);
    await expect(page.getByRole('img', { name: 'map.png' })).toBeVisible();
    await look('preview');
    await page.goto(pageOf(`${at}/nothing`));
    await expect(page.getByText(say('explorer.problem.missing', { path: `${at}/nothing` }))).toBeVisible();
    await look('missing');
  });
