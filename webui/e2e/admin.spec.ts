import type { Page } from '@playwright/test';
import { adminToken, createKey, createPaste, freshSlug, serverUrl } from './api';
import { violations } from './axe';
import { expect, signIn, test } from './fixtures';
import { forms, panel } from './panel';

const heading = (page: Page, name: string) =>
  expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();

test('a long title leaves the other columns of a list in sight', async ({ visit }) => {
  await createPaste({
    content: 'far',
    slug: 'panel-long',
    remark: `https://harbour.invalid/${'log'.repeat(50)}`,
  });
  const page = await visit({ admin: true });
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const path of ['text-management', 'shares']) {
    await page.goto(`/admin/${path}`);
    await page.getByRole('searchbox').fill('panel-long');
    await expect(page.getByRole('row')).toHaveCount(2);
    const over = await page
      .getByRole('table')
      .evaluate(({ parentElement: panel }) => (panel ? panel.scrollWidth - panel.clientWidth : NaN));
    expect(over, path).toBe(0);
  }
});

test('texts are found, shown without a view, changed and deleted', async ({ visit }) => {
  await createPaste({ content: 'panel text one', slug: 'panel-one', remark: 'panel remark', maxViews: 5 });
  await createPaste({ content: 'panel text two', slug: 'panel-two' });
  const page = await visit({ admin: true });
  await page.goto('/admin/text-management');
  await page.getByRole('searchbox').fill('panel-one');
  const row = page.getByRole('row').filter({ hasText: 'panel-one' });
  await expect(row).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'panel-two' })).toHaveCount(0);
  await expect(page).toHaveURL(/panel-one/);

  await row.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByText('panel text one')).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();
  await expect(row.getByText('0 of 5')).toBeVisible();

  await row.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Custom link').fill('panel-two');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('This link is taken. Choose another one.')).toBeVisible();
  await page.getByLabel('Custom link').fill('panel-three');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Changes saved')).toBeVisible();

  await page.getByRole('searchbox').fill('panel-t');
  await expect(page.getByRole('row').filter({ hasText: 'panel-three' })).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/^texts-.*\.csv$/);

  for (const slug of ['panel-two', 'panel-three'])
    await page.getByRole('row').filter({ hasText: slug }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Delete (2)' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('2 texts deleted')).toBeVisible();
  await expect(page.getByText('No results')).toBeVisible();
});

test('a key is made, shown once, and signs in with exactly its rights', async ({ visit }) => {
  const name = freshSlug();
  // The folders fail to load once.
  const page = await visit({ admin: true, expected: /503/ });
  await page.goto('/admin/key-management/create');
  const create = page.getByRole('button', { name: 'Create', exact: true });
  await create.click();
  await expect(page.getByText('Required')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  // A key without rights to folders has no folder to choose.
  const [basic, folder] = [
    page.getByRole('tab', { name: 'Basic' }),
    page.getByRole('tab', { name: 'Folder' }),
  ];
  await expect(folder).toHaveAttribute('aria-disabled', 'true');
  await basic.press('ArrowRight');
  await expect(basic).toHaveAttribute('aria-selected', 'true');
  await page.getByLabel('Upload to mounts').check();
  await expect(page.getByLabel('Browse mounts')).toBeChecked();
  let failed = false;
  await page.route('**/api/fs/list?**', async (route) => {
    if (failed) return route.fallback();
    failed = true;
    await route.fulfill({ status: 503, json: { code: 503, message: 'busy' } });
  });
  await basic.press('ArrowRight');
  await expect(folder).toBeFocused();
  const tree = page.getByRole('tabpanel', { name: 'Folder' });
  await tree.getByRole('button', { name: 'Try again' }).click();
  await tree.getByRole('radio', { name: 'Use local', exact: true }).check();
  expect(await violations(page)).toEqual([]);
  await tree.getByRole('button', { name: 'Open local' }).click();
  // What is chosen is not taken over unless it is confirmed.
  await folder.press('Home');
  await expect(page.getByText('“/local” is selected but not applied yet')).toBeVisible();
  await folder.click();
  await tree.getByRole('button', { name: 'Keep current folder' }).click();
  const picker = page.getByRole('button', { name: 'Choose a folder' });
  await expect(picker).toBeFocused();
  await expect(page.getByRole('textbox', { name: 'Folder' })).toHaveValue('/');
  await picker.click();
  await tree.getByRole('radio', { name: 'Use local', exact: true }).check();
  await tree.getByRole('radio', { name: 'Use local', exact: true }).press('Enter');
  await expect(page.getByRole('textbox', { name: 'Folder' })).toHaveValue('/local');
  await expect(page).toHaveURL(/create$/);
  await page.getByLabel('Share files').check();
  // Leaving asks first, by the page's header and by the panel's menu alike.
  for (const link of ['Home', 'Dashboard']) {
    await page.getByRole('link', { name: link, exact: true }).click();
    await page.getByRole('button', { name: 'Stay', exact: true }).click();
    await expect(page).toHaveURL(/key-management\/create$/);
  }
  await create.click();
  const once = page.getByRole('alertdialog');
  const value = await once.getByRole('textbox').inputValue();
  expect(value.length).toBeGreaterThan(20);
  await once.getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText('/local');
  await expect(page).toHaveURL(/key-management$/);
  await expect(page.getByText(value)).toHaveCount(0);

  // A page that the key may not use leads to the first one that it may.
  const own = await visit({ stored: { api_key: value } });
  await own.goto('/admin/settings/site');
  await heading(own, 'Files');
  await expect(own).toHaveURL('/admin/file-management');
  const menu = own.getByRole('navigation', { name: 'Panel menu' });
  await expect(menu.getByRole('link')).toHaveText(['Files', 'Requests']);
});

// The pages of the panel that keys may not open, but for the two that their bits open.
const others = Object.keys({ ...panel, ...forms }).filter(
  (path) => !/^(text-management|file-management|requests(\/.*)?)$/.test(path),
);

test('a key with one bit alone sees by menu, by address and by API what the bit allows', async ({
  visit,
}) => {
  const bits = [1, 2, 256, 512, 1024, 2048, 4096, 65536, 131072];
  const calls = [
    '/pastes',
    '/files',
    '/admin/dashboard/stats',
    '/admin/api-keys',
    '/admin/mounts',
    '/s3-configs',
    '/admin/policies',
    '/admin/audit',
    '/admin/shares',
    '/admin/backup',
    '/admin/sessions',
  ];
  const page = await visit();
  await page.goto('/');
  for (const bit of bits) {
    const key = await createKey(`panel bit ${bit}`, bit);
    const statuses = await Promise.all(
      calls.map(async (path) => {
        const answer = await fetch(`${serverUrl()}/api${path}`, {
          headers: { Authorization: `ApiKey ${key}` },
        });
        return answer.status;
      }),
    );
    const text = bit === 1 ? 200 : 403;
    const file = bit === 2 ? 200 : 403;
    expect(statuses, `bit ${bit}`).toEqual([text, file, 403, 403, 403, file, ...Array<number>(5).fill(403)]);

    await page.evaluate((secret) => localStorage.setItem('api_key', secret), key);
    const own = { 1: 'text', 2: 'file' }[bit];
    if (own === undefined) {
      // There is no panel for it, so no menu either.
      await page.goto('/admin/file-management');
      await expect(page).toHaveURL('/');
      await expect(page.getByRole('navigation', { name: 'Panel menu' })).toHaveCount(0);
      continue;
    }
    const title = own === 'text' ? 'Texts' : 'Files';
    await page.goto('/admin');
    await heading(page, title);
    const menu = page.getByRole('navigation', { name: 'Panel menu' });
    await expect(menu.getByRole('link')).toHaveText(own === 'text' ? [title] : [title, 'Requests']);
    await expect(page.getByText('User panel', { exact: true }).first()).toBeVisible();
    for (const path of [
      ...others,
      ...(own === 'text' ? ['file-management', 'requests'] : ['text-management']),
    ]) {
      // As a link inside of the page would lead there, without loading the app anew.
      await page.evaluate((to) => history.pushState(null, '', to), `/admin/${path}`);
      await expect(page).toHaveURL(`/admin/${own}-management`);
    }
    await heading(page, title);
  }
  expect(
    (await fetch(`${serverUrl()}/api/pastes`, { headers: { Authorization: `Bearer ${await adminToken()}` } }))
      .ok,
  ).toBe(true);
});

test('settings are saved and seen by visitors, and a storage is tried', async ({ own, visit }) => {
  // A program of its own: the others look at the site's title meanwhile.
  const program = await own();
  const page = await visit({ origin: program.url });
  await page.goto('/admin/settings/site');
  await signIn(page);
  const title = page.getByRole('textbox', { name: 'Title' });
  const icon = page.getByRole('textbox', { name: 'Icon' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await title.fill('Harbour');
  await icon.fill('not an address');
  await save.click();
  await expect(icon).toHaveAttribute('aria-invalid', 'true');
  await icon.fill('');
  await save.click();
  await expect(page.getByText('Settings saved')).toBeVisible();
  await expect(page).toHaveTitle('Site settings - Harbour');
  await expect(page.getByText('Unsaved changes')).toHaveCount(0);
  const visitor = await visit({ origin: program.url });
  await visitor.goto('/upload');
  await expect(visitor).toHaveTitle(/ - Harbour$/);

  // What the server refuses stays in the form, and leaving asks about it.
  await page.getByRole('link', { name: 'WebDAV settings' }).click();
  await page.getByRole('textbox', { name: 'Clients that can’t follow redirects' }).fill('x'.repeat(5000));
  await save.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Some settings weren’t saved' })).toBeVisible();
  await page.getByRole('link', { name: 'Storage' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await heading(page, 'Storage');
  await page.getByRole('button', { name: 'Test', exact: true }).first().click();
  await expect(page.getByText('Everything works')).toBeVisible();
});

test('the palette leads to pages, records, settings and shares by keyboard alone', async ({ visit }) => {
  await createKey('palette heron', 1);
  const slug = freshSlug();
  await createPaste({ content: 'x', slug });
  const page = await visit({ admin: true });
  await page.goto('/admin/tasks');
  await heading(page, 'Tasks');
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  const box = dialog.getByRole('combobox');
  const chosen = dialog.getByRole('option', { selected: false }).and(page.locator('.Mui-focused'));

  await page.keyboard.press('Control+k');
  await expect(box).toBeFocused();
  await expect(chosen).toContainText('Dashboard');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type('audit');
  await expect(chosen).toContainText('Audit log');
  await page.keyboard.press('Enter');
  await heading(page, 'Audit log');
  await expect(dialog).toHaveCount(0);

  await page.keyboard.press('Control+k');
  await page.keyboard.type('heron');
  await expect(chosen).toContainText('palette heron');
  await page.keyboard.press('Enter');
  await heading(page, 'Edit “palette heron”');

  await page.keyboard.press('Control+k');
  await page.keyboard.type(slug);
  await expect(chosen).toContainText(slug);
  await page.keyboard.press('Enter');
  await heading(page, 'Shares');
  await expect(page.getByRole('row').filter({ hasText: slug })).toBeVisible();

  await page.getByRole('button', { name: 'Go to…' }).click();
  await page.keyboard.type('upload');
  await expect(dialog.getByRole('group', { name: 'Settings' }).getByRole('option').first()).toBeVisible();
  await page.keyboard.type(' heron crane');
  await expect(dialog.getByRole('option')).toHaveCount(0);
  await expect(dialog.getByRole('status')).toHaveText('No results');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Go to…' })).toBeFocused();
});

test('a phone has one menu in the panel, with the links of the site', async ({ visit }) => {
  const page = await visit({ admin: true, phone: true });
  await page.goto('/admin/tasks');
  await heading(page, 'Tasks');
  await expect(page.getByRole('button', { name: /menu/i })).toHaveCount(1);
  await page.getByRole('button', { name: 'Open the panel menu' }).click();
  const menu = page.getByRole('dialog', { name: 'Panel menu' });
  await expect(menu.getByRole('link', { name: 'Audit log' })).toBeVisible();
  await menu.getByRole('link', { name: 'Upload' }).click();
  await expect(page).toHaveURL(/\/upload$/);
  await expect(page.getByRole('button', { name: 'Menu' })).toBeVisible();
});
