import { randomUUID } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { adminPassword, startProgram, type Program } from './program';

// A program of its own, since these flows make mounts and storages, change the account and set limits.
let program: Program;
test.beforeAll(async () => {
  program = await startProgram();
});
test.afterAll(async () => {
  await program.stop();
});

/** call makes a call of the API as administrator of this file's program. */
async function call<T>(method: string, path: string, body?: unknown, password = adminPassword): Promise<T> {
  const token = await login(password);
  const answer = await fetch(`${program.url}/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const read = (await answer.json()) as { data: T };
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(read)}`);
  return read.data;
}

let token = '';
async function login(password = adminPassword): Promise<string> {
  const good = await fetch(`${program.url}/api/test/admin-token`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (good.ok) return token;
  const answer = await fetch(`${program.url}/api/admin/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  ({ token } = ((await answer.json()) as { data: { token: string } }).data);
  return token;
}

const signedIn = async () => ({ origin: program.url, stored: { admin_token: await login() } });

/** share puts a file up the way an upload script does. */
async function share(filename: string, slug: string): Promise<void> {
  const [config] = await call<{ id: string }[]>('GET', '/s3-configs');
  const reserved = await call<{ file_id: string; upload_url: string }>('POST', '/s3/presign', {
    s3_config_id: config?.id,
    filename,
    slug,
    size: 4,
  });
  const put = await fetch(new URL(reserved.upload_url, program.url), { method: 'PUT', body: 'text' });
  await call('POST', '/s3/commit', { file_id: reserved.file_id, size: 4, etag: put.headers.get('etag') });
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** cardOf is the card of a storage. */
const cardOf = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) });

async function fromMenu(page: Page, row: Locator, action: string): Promise<void> {
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('a mount is checked field by field, tried before it is saved, changed, turned off and deleted', async ({
  visit,
}) => {
  const page = await visit(await signedIn());
  await page.goto('/admin/mount-management/create');
  const create = page.getByRole('button', { name: 'Create', exact: true });
  const name = page.getByLabel('Name', { exact: true });
  const path = page.getByRole('textbox', { name: 'Mount path' });
  const cache = page.getByLabel('Cache folder listings (seconds)');
  await create.click();
  // Two problems are summed up, and each entry leads to its field.
  const summary = page.getByRole('group', { name: 'There are 2 problems' });
  await expect(summary).toBeFocused();
  await expect(summary.getByRole('link')).toHaveText(['Name: Required', 'Mount path: Required']);
  expect(await violations(page)).toEqual([]);
  await summary.getByRole('link', { name: 'Name: Required' }).click();
  await expect(name).toBeFocused();
  await name.fill('x'.repeat(51));
  await expect(page.getByText('At most 50 characters', { exact: true })).toBeVisible();
  for (const [typed, says] of [
    ['team', 'Begin with /'],
    ['/', 'The mount path can’t be just /'],
    ['/a//b', 'No double slashes and no slash at the end'],
    ['/a/../b', 'Letters, digits, underscore, hyphen, Chinese characters and / only'],
    ['/etc/x', 'This path is reserved by the system'],
  ] as const) {
    await path.fill(typed);
    await path.blur();
    await expect(page.getByText(says, { exact: true })).toBeVisible();
  }
  for (const [typed, says] of [
    ['1.5', 'Enter a whole number'],
    ['-1', 'Enter 0 or more'],
    ['86401', 'At most 86400'],
  ] as const) {
    await cache.fill(typed);
    await cache.blur();
    await expect(page.getByText(says, { exact: true })).toBeVisible();
  }
  await cache.fill('60');
  await name.fill('Berths');
  await path.fill('/local/berths');
  await expect(page.getByText('Overlaps the mount')).toBeVisible();
  await path.fill('/码头');
  await expect(page.getByText('Overlaps the mount')).toHaveCount(0);

  await share('seen.txt', 'seen');
  await page.getByRole('button', { name: 'Test storage' }).click();
  await expect(page.getByText('Connected. First entries:')).toBeVisible();
  await expect(page.getByText(/seen.*\.txt/)).toBeVisible();
  expect(await violations(page)).toEqual([]);

  await expect(page.getByLabel('Require signed links')).toHaveCount(0);
  await page.getByLabel('Serve web downloads through this server').check();
  await page.getByLabel('Require signed links').check();
  await page.getByLabel('Signature lifetime (seconds)').fill('900');
  await page.getByLabel('WebDAV downloads').selectOption('native_proxy');
  await create.click();
  await expect(page).toHaveURL(/mount-management$/);
  await expect(rowOf(page, 'Berths')).toContainText('/码头');
  await expect(rowOf(page, 'Berths')).toContainText('Signed');
  const mounts = await call<Record<string, unknown>[]>('GET', '/admin/mounts');
  expect(mounts.find((mount) => mount.name === 'Berths')).toMatchObject({
    mount_path: '/码头',
    cache_ttl: 60,
    web_proxy: 1,
    enable_sign: 1,
    sign_expires: 900,
    webdav_policy: 'native_proxy',
  });

  // A path that is taken is said at its field.
  await rowOf(page, 'Berths').getByRole('link', { name: 'Berths' }).click();
  await path.fill('/local');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(path).toHaveAttribute('aria-invalid', 'true');
  await path.fill('/berths');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(rowOf(page, '/berths')).toBeVisible();

  await fromMenu(page, rowOf(page, 'Berths'), 'Turn off');
  await expect(rowOf(page, 'Berths')).toContainText('Off');
  await page.getByLabel('Status').selectOption('inactive');
  await expect(rowOf(page, '/local')).toHaveCount(0);
  await expect(page).toHaveURL(/inactive/);
  await fromMenu(page, rowOf(page, 'Berths'), 'Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('1 mount deleted')).toBeVisible();
});

test('who saves second sees what was saved first, and chooses', async ({ visit }) => {
  const page = await visit({ ...(await signedIn()), expected: /412/ });
  const key = await call<{ id: string }>('POST', '/admin/api-keys', {
    name: 'two tabs',
    permissions: 1,
    expires_at: null,
  });
  const elsewhere = (change: object) => call('PUT', `/admin/api-keys/${key.id}`, change);
  const now = async () => {
    const {
      name,
      role,
      basic_path: path,
    } = await call<Record<string, string>>('GET', `/admin/api-keys/${key.id}`);
    return [name, role, path].join(' ');
  };
  const dialog = page.getByRole('dialog', { name: 'Someone else has changed this' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const name = page.getByLabel('Name', { exact: true });

  await page.goto(`${program.url}/admin/key-management/${key.id}`);
  await name.fill('mine');
  await elsewhere({ name: 'theirs', role: 'GUEST' });
  await save.click();
  await expect(dialog.getByRole('region', { name: 'Yours' })).toContainText('Name: mine');
  await expect(dialog.getByRole('region', { name: 'Current version' })).toContainText('Name: theirs');
  expect(await violations(page)).toEqual([]);

  // Closing changes nothing, and what was typed stays.
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(name).toHaveValue('mine');
  expect(await now()).toBe('theirs GUEST /');

  // Taking theirs fills the form anew; the next change is based on it.
  await save.click();
  await dialog.getByRole('button', { name: 'Use theirs' }).click();
  await expect(name).toHaveValue('theirs');
  await expect(page.getByText('Unsaved changes')).toHaveCount(0);

  // Saving mine replaces only what was changed here, even when they save once more.
  await name.fill('mine again');
  await elsewhere({ role: 'ADMIN' });
  await save.click();
  await expect(dialog).toBeVisible();
  await elsewhere({ basic_path: '/local' });
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await expect(dialog.getByRole('region', { name: 'Current version' })).toContainText('/local');
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await expect(page).toHaveURL(/key-management$/);
  expect(await now()).toBe('mine again ADMIN /local');

  // The same for a mount, a storage and settings.
  for (const [path, list, field] of [
    ['/admin/mounts', 'mount-management', 'Note'],
    ['/s3-configs', 'storage-config', 'Name'],
  ] as const) {
    const [one] = await call<{ id: string; name: string }[]>('GET', path);
    await page.goto(`${program.url}/admin/${list}/${one?.id}`);
    await page.getByLabel(field, { exact: field === 'Name' }).fill('mine');
    await call('PUT', `${path}/${one?.id}`, { name: 'theirs' });
    await save.click();
    await expect(dialog.getByRole('region', { name: 'Current version' })).toContainText('Name: theirs');
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await expect(page).toHaveURL(new RegExp(`${list}$`));
    const saved = await call<Record<string, unknown>>('GET', `${path}/${one?.id}`);
    expect(saved).toMatchObject(field === 'Name' ? { name: 'mine' } : { name: 'theirs', remark: 'mine' });
    await call('PUT', `${path}/${one?.id}`, { name: one?.name, remark: null });
  }

  await page.goto(`${program.url}/admin/settings/site`);
  const title = page.getByRole('textbox', { name: /^Title/ });
  await title.fill('Mine');
  await call('PUT', '/admin/settings/group/4', { site_title: 'Theirs' });
  await save.click();
  await expect(dialog.getByRole('region', { name: 'Current version' })).toContainText('Theirs');
  await dialog.getByRole('button', { name: 'Use theirs' }).click();
  await expect(title).toHaveValue('Theirs');
  await title.fill('Mine after all');
  await save.click();
  await expect(page.getByText('Settings saved')).toBeVisible();
  // What was saved a moment ago is no conflict.
  await title.fill('And once more');
  await save.click();
  await expect
    .poll(async () => JSON.stringify(await call('GET', '/admin/settings?group=4&metadata=false')))
    .toContain('And once more');
  await expect(dialog).toHaveCount(0);
  await call('PUT', '/admin/settings/group/4', { site_title: 'Pasteport' });
  await call('DELETE', `/admin/api-keys/${key.id}`);
});

// As a driver that nobody here has heard of describes itself.
const unheard = {
  name: 'tape',
  label: { en: 'Tape robot', zh: '磁带机' },
  version: '1.0.0',
  storage_type: 'TAPE',
  provider_type: 'Tape robot',
  total_storage_bytes: 1024 ** 4,
  available: true,
  problem: null,
  capabilities: { browser_upload: false },
  fields: [
    { key: 'library', type: 'text', required: true, default: '' },
    { key: 'console', type: 'url', required: false, default: '' },
    { key: 'drives', type: 'number', required: true, default: '2' },
    { key: 'pin', type: 'password', required: true, secret: true, default: '' },
    { key: 'eject', type: 'bool', required: false, default: '1' },
    {
      key: 'speed',
      type: 'select',
      required: false,
      default: 'slow',
      options: [
        { value: 'slow', label: { en: 'Slow and quiet', zh: '慢' } },
        { value: 'fast', label: { en: 'Fast', zh: '快' } },
      ],
    },
  ].map((field) => ({
    secret: false,
    flat: false,
    options: [],
    label: { en: `Tape ${field.key}`, zh: field.key },
    help: { en: `Help for ${field.key}`, zh: '' },
    ...field,
  })),
};

test('a site wears its own logo and colour, which is made readable', async ({ visit }) => {
  const page = await visit(await signedIn());
  await page.goto(`${program.url}/admin/settings/site`);
  await page.getByTestId('logo').setInputFiles({
    name: 'logo.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('no picture'),
  });
  await expect(page.getByText('The logo must be a PNG, WebP or SVG image of up to 64 KB.')).toBeVisible();
  await page.getByTestId('logo').setInputFiles({
    name: 'logo.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30"><rect width="90" height="30"/><script>1</script></svg>',
    ),
  });
  await page.getByLabel('Accent color (optional)').fill('#FFD400');
  await expect(page.getByText('Too light to read on light pages, which use #806A00 instead.')).toBeVisible();
  await expect(page.getByText('Too dark to read')).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: 'test-results/screens/brand.png', fullPage: true });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Settings saved').first()).toBeVisible();

  const accent = (shown: Page) =>
    shown.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'));
  for (const [themeMode, colour] of [
    ['light', '#806A00'],
    ['dark', '#FFD400'],
  ]) {
    const stranger = await visit({ origin: program.url, stored: { themeMode: String(themeMode) } });
    await stranger.goto(`${program.url}/admin`);
    const logo = stranger.getByRole('img', { name: 'Pasteport' });
    await expect
      .poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0);
    expect(await accent(stranger)).toBe(colour);
    expect(await violations(stranger)).toEqual([]);
    await stranger.screenshot({ path: `test-results/screens/brand.signin.${themeMode}.png` });
  }
  const sent = await fetch(`${program.url}/logo`);
  expect(await sent.text()).not.toContain('script');
  await call('PUT', '/admin/settings/group/4', { site_logo: '', site_accent: '' });
  expect((await fetch(`${program.url}/logo`)).status).toBe(404);
});

test('a storage is tried before it is saved, with remedies; an unknown driver gets its own form', async ({
  visit,
}) => {
  await share('needed.txt', 'needed');
  const page = await visit(await signedIn());
  await page.goto('/admin/storage-config/create');
  const provider = page.getByLabel('Provider');
  const trial = page.getByRole('button', { name: 'Test before saving' });
  await page.getByLabel('Name', { exact: true }).fill('Far bucket');
  await trial.click();
  await expect(page.getByText('Required').first()).toBeVisible();

  // What was typed stays when the provider changes, secrets too; what nobody touched follows it.
  await page.getByLabel('Bucket', { exact: true }).fill('harbour');
  await page.getByLabel('Access key ID').fill('AKIAHARBOUR1');
  await page.getByLabel('Secret access key').fill('very secret');
  await provider.selectOption('s3');
  await expect(page.getByLabel('Bucket', { exact: true })).toHaveValue('harbour');
  await expect(page.getByLabel('Access key ID')).toHaveValue('AKIAHARBOUR1');
  await expect(page.getByLabel('Secret access key')).toHaveValue('very secret');
  await expect(page.getByLabel('Path-style addressing: on')).toBeChecked();
  await page.getByLabel('Endpoint').fill('not an address');
  await page.getByLabel('Endpoint').blur();
  await expect(page.getByText('Enter a valid http or https address')).toBeVisible();
  // Nothing listens there.
  await page.getByLabel('Endpoint').fill(`http://${program.far}`);
  await trial.click();
  const report = page.getByRole('dialog', { name: 'Test of “Far bucket”' });
  await expect(report.getByText('Not usable')).toBeVisible();
  await expect(report.getByText(/^What to do: /).first()).toBeVisible();
  await expect(report.getByText(`http://${program.far}`).first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await report.locator('footer').getByRole('button', { name: 'Close' }).click();
  expect(await call<unknown[]>('GET', '/s3-configs')).toHaveLength(1);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(cardOf(page, 'Far bucket')).toBeVisible();

  // A card says all there is to a storage.
  const far = cardOf(page, 'Far bucket');
  for (const fact of ['harbour', 'Path-style addressing', 'Usable by keys', 'Space', 'Not tested'])
    await expect(far).toContainText(fact);
  await far.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(report.getByText('Not usable')).toBeVisible();
  await report.locator('footer').getByRole('button', { name: 'Close' }).click();
  await expect(far).toContainText('Not usable');
  expect(await violations(page)).toEqual([]);
  await far.getByRole('link', { name: 'Far bucket' }).click();
  await expect(page.getByText('Ends in OUR1. Leave blank to keep it.')).toBeVisible();
  await expect(page.getByLabel('Secret access key')).toHaveValue('');
  await page.getByLabel('Link lifetime (seconds)').fill('600');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(cardOf(page, 'Far bucket')).toBeVisible();
  const configs = await call<Record<string, unknown>[]>('GET', '/s3-configs');
  expect(configs.find((config) => config.name === 'Far bucket')).toMatchObject({
    bucket_name: 'harbour',
    signature_expires_in: 600,
    has_credentials: 1,
  });

  await page.goto('/admin/storage-config/create');
  await provider.selectOption('local');
  await page.getByLabel('Name', { exact: true }).fill('Second disk');
  await page.getByLabel('Folder', { exact: true }).fill('files/second');
  await trial.click();
  await expect(page.getByText('Everything works')).toBeVisible();
  await page.getByRole('dialog').locator('footer').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await fromMenu(page, cardOf(page, 'Second disk'), 'Set as default');
  await expect(cardOf(page, 'Second disk')).toContainText('Default');
  await expect(cardOf(page, 'Local disk')).not.toContainText('Default');
  await fromMenu(page, cardOf(page, 'Far bucket'), 'Set as default');
  await expect(cardOf(page, 'Far bucket')).toContainText('Default');

  // What is in use stays, with the reason and the way to what uses it; all else goes.
  await page.getByRole('checkbox', { name: 'Select Far bucket' }).check();
  await page.getByRole('button', { name: 'Select all on this page' }).click();
  await page.getByRole('button', { name: 'Delete (3)' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  const result = page.getByRole('dialog', { name: 'Result' });
  await expect(result.getByText('2 done, 1 failed')).toBeVisible();
  await expect(result.getByRole('listitem')).toContainText('Local disk');
  await result.getByRole('link', { name: 'Show what uses it' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Shares' })).toBeVisible();
  await expect(page.getByLabel('From')).toHaveValue(/^storage /);
  await expect(page.getByRole('table')).toContainText('needed.txt');

  let sent: unknown;
  await page.route('**/api/admin/drivers', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { data: unknown[] };
    await route.fulfill({ response: answer, json: { ...body, data: [...body.data, unheard] } });
  });
  await page.route('**/api/s3-configs/test', async (route) => {
    sent = route.request().postDataJSON();
    await route.fulfill({ status: 404, json: { code: 404, message: 'no such driver here' } });
  });
  await page.goto('/admin/storage-config/create');
  await provider.selectOption('tape');
  await page.getByLabel('Name', { exact: true }).fill('Cellar');
  await expect(page.getByText('Help for drives')).toBeVisible();
  await page.getByLabel('Tape drives').fill('two');
  await page.getByLabel('Tape console').fill('ftp://x');
  await trial.click();
  await expect(page.getByText('Enter a whole number')).toBeVisible();
  await expect(page.getByText('Enter a valid http or https address')).toBeVisible();
  await page.getByLabel('Tape drives').fill('4');
  await page.getByLabel('Tape console').fill('');
  await page.getByLabel('Tape library').fill('L1');
  await page.getByLabel('Tape pin').fill('1234');
  await expect(page.getByLabel('Tape eject')).toBeChecked();
  await page.getByLabel('Tape speed').selectOption('Fast');
  await expect(page.getByText('Browsers upload to this storage through this server.')).toBeVisible();
  await trial.click();
  await expect
    .poll(() => sent)
    .toMatchObject({
      name: 'Cellar',
      driver: 'tape',
      options: { library: 'L1', drives: '4', pin: '1234', eject: true, speed: 'fast' },
    });
});

test('shares are shown, changed and deleted as the lists say, which keep how they were set', async ({
  visit,
}) => {
  const slugs = Array.from({ length: 12 }, (_, at) => `form-${String(at).padStart(2, '0')}`);
  for (const slug of slugs)
    await call('POST', '/paste', { content: `# Title\n\n**text** of ${slug}`, slug, remark: slug });
  for (const slug of ['keep', 'lose']) await share(`${slug}.txt`, slug);
  const page = await visit(await signedIn());
  await page.goto('/admin/text-management');
  await page.getByLabel('Rows per page').selectOption('10');
  await expect(page.getByText('1–10 of 12')).toBeVisible();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('Title', { exact: true }).uncheck();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('columnheader', { name: 'Title' })).toHaveCount(0);
  await page.getByRole('columnheader', { name: 'Link' }).getByRole('button').click();
  // What was shown before it was sorted has this row, too: the page must be there before it is left.
  await expect(rowOf(page, 'form-00')).toBeVisible();
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page.getByText('11–12 of 12')).toBeVisible();
  await expect(rowOf(page, 'form-00')).toHaveCount(0);
  await expect(rowOf(page, 'form-11')).toBeVisible();
  await expect(page).toHaveURL(/page=2/);
  await page.reload();
  await expect(rowOf(page, 'form-11')).toBeVisible();
  await expect(rowOf(page, 'form-00')).toHaveCount(0);
  await expect(page.getByRole('columnheader', { name: 'Title' })).toHaveCount(0);
  await page.goto('/admin/file-management');
  await expect(page.getByLabel('Rows per page')).toHaveValue('10');

  await page.goto('/admin/text-management');
  const first = rowOf(page, 'form-11');
  await first.getByRole('button', { name: 'Preview' }).click();
  const shown = page.getByRole('dialog');
  await expect(shown.getByText('**text** of form-11')).toBeVisible();
  await shown.getByRole('radio', { name: 'Rendered' }).check();
  await expect(shown.locator('strong', { hasText: 'text' })).toBeVisible();
  await page.keyboard.press('Escape');
  await first.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Custom link').fill('form-11-b');
  await page.getByRole('dialog').getByText('Edit the content').click();
  await page.getByLabel('Content', { exact: true }).fill('other text');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Changes saved')).toBeVisible();
  const raw = await fetch(`${program.url}/api/raw/form-11-b`);
  expect(await raw.text()).toBe('other text');

  // One of those that are chosen is gone meanwhile, which is said by its name.
  for (const slug of ['form-10', 'form-09']) await rowOf(page, slug).getByRole('checkbox').check();
  const list = await call<{ id: string; slug: string }[]>('GET', '/pastes?limit=100');
  const gone = list.find((paste) => paste.slug === 'form-10');
  await call('DELETE', '/pastes/batch-delete', { ids: [gone?.id] });
  await page.getByRole('button', { name: 'Delete (2)' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  const result = page.getByRole('dialog', { name: 'Result' });
  await expect(result.getByText('1 done, 1 failed')).toBeVisible();
  await expect(result.getByRole('listitem')).toHaveText(/form-10: Already deleted/);
  await result.locator('footer').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Clear expired' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question.getByText('0 texts have expired.')).toBeVisible();
  await question.getByRole('button', { name: 'Cancel' }).click();

  await page.goto('/admin/file-management');
  await rowOf(page, 'keep.txt').getByRole('button', { name: 'Preview' }).click();
  await expect(shown.getByText('keep.txt').first()).toBeVisible();
  const seen = await shown.getByRole('link', { name: 'Preview' }).getAttribute('href');
  expect(await (await fetch(new URL(seen ?? '', program.url))).text()).toBe('text');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(rowOf(page, 'keep.txt').getByRole('button', { name: 'Access log, views: 0' })).toBeVisible();
  await fromMenu(page, rowOf(page, 'keep.txt'), 'Delete');
  await expect(question.getByText('the files are deleted from the storage')).toBeVisible();
  await question.getByRole('radio', { name: 'Keep the files' }).check();
  await expect(question.getByText('The files themselves stay in the storage.')).toBeVisible();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('1 file deleted')).toBeVisible();
  await page.reload();
  await fromMenu(page, rowOf(page, 'lose.txt'), 'Delete');
  await expect(question.getByRole('radio', { name: 'Keep the files' })).toBeChecked();
  await question.getByRole('radio', { name: 'Delete the files too' }).check();
  await expect(question.getByText('the files are deleted from the storage')).toBeVisible();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(rowOf(page, 'lose.txt')).toHaveCount(0);
  // The objects say which of the two was taken away.
  const [config] = await call<{ id: string }[]>('GET', '/s3-configs');
  const found = await call<{ result: { read: { firstObjects: { key: string }[] } } }>(
    'POST',
    `/s3-configs/${config?.id}/test`,
    {},
  );
  const keys = found.result.read.firstObjects.map((object) => object.key).join(' ');
  expect(keys).toContain('keep');
  expect(keys).not.toContain('lose');
});

test('a key is asked about before it is made, cloned and turned off; a limit of the site is kept', async ({
  visit,
}) => {
  // The use of a key fails to load once, a switch comes too late once, and a file is no bundle.
  const page = await visit({ ...(await signedIn()), expected: /ERR_FAILED|412|status of 400/ });
  await page.goto('/admin/key-management/create');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Pilot');
  await page.getByLabel('Browse mounts').check();
  await page.getByLabel('Expires', { exact: true }).selectOption('days');
  await page.getByLabel('Days').fill('0');
  await page.getByLabel('Days').blur();
  await expect(page.getByText('At least 1')).toBeVisible();
  await page.getByLabel('Days').fill('45');
  const tester = page.getByRole('group', { name: 'Test this key' });
  await tester.getByLabel('Action').selectOption('mount.list');
  await tester.getByLabel('Path').fill('/local/x');
  await tester.getByRole('button', { name: 'Check' }).click();
  await expect(tester.getByText('Allowed.')).toBeVisible();
  await tester.getByLabel('Action').selectOption('mount.delete');
  await tester.getByRole('button', { name: 'Check' }).click();
  await expect(tester.getByText('Denied:')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(rowOf(page, 'Pilot')).toContainText(/in 4\d days|in 45 days|next month|in 1 month/);

  await expect(page.getByRole('checkbox', { name: 'Select Pilot' })).toBeVisible();
  await fromMenu(page, rowOf(page, 'Pilot'), 'Duplicate');
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Pilot (copy)');
  await expect(page.getByLabel('Browse mounts')).toBeChecked();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  // The use of a key is counted by the day: none of the copy, then two requests.
  const keys = await call<{ id: string; name: string }[]>('GET', '/admin/api-keys');
  const copy = keys.find((key) => key.name === 'Pilot (copy)')?.id ?? '';
  const { key: value } = await call<{ key: string }>('POST', `/admin/api-keys/${copy}/rotate`, {});
  await rowOf(page, 'Pilot (copy)').getByRole('link', { name: 'Pilot (copy)' }).click();
  await expect(page.getByText('Not used in the last 30 days.')).toBeVisible();
  for (let used = 0; used < 2; used++)
    expect(
      (await fetch(`${program.url}/api/test/api-key`, { headers: { Authorization: `ApiKey ${value}` } }))
        .status,
    ).toBe(200);
  await expect
    .poll(async () => (await call<{ total: number }>('GET', `/admin/api-keys/${copy}/usage`)).total)
    .toBe(2);
  await page.route('**/api-keys/*/usage', (route) => route.abort(), { times: 1 });
  await page.reload();
  const failed = page.getByRole('alert');
  await failed.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('2 requests', { exact: true })).toBeVisible();
  await expect(page.getByRole('img', { name: 'Requests per day, also' })).toBeVisible();
  await page.getByText('Show as table').click();
  const table = page.getByRole('table').getByRole('row');
  await expect(table).toHaveCount(31);
  await expect(table.nth(1)).toHaveText(/2$/);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  // A switch is turned in the row that was seen, not in what it has become.
  let seen = '';
  await page.route(
    '**/api-keys/*',
    async (route) => {
      const headers = route.request().headers();
      seen = headers['if-match'] ?? '';
      await route.continue({ headers: { ...headers, 'if-match': '"an older one"' } });
    },
    { times: 1 },
  );
  await fromMenu(page, rowOf(page, 'Pilot (copy)'), 'Turn off');
  await expect(page.getByText('Someone else just changed “Pilot (copy)”')).toBeVisible();
  expect(seen).toMatch(/^"\w+"$/);
  await expect(rowOf(page, 'Pilot (copy)')).not.toContainText('Off');
  await fromMenu(page, rowOf(page, 'Pilot (copy)'), 'Turn off');
  await expect(rowOf(page, 'Pilot (copy)')).toContainText('Off');

  await page.goto('/admin/settings/global');
  await page.getByLabel('Maximum views per share').fill('-1');
  await page.getByLabel('Maximum views per share').blur();
  await expect(page.getByText('Enter 0 or more')).toBeVisible();
  await page.getByLabel('Maximum views per share').fill('3');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Settings saved')).toBeVisible();
  const tooMany = await fetch(`${program.url}/api/paste`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await login()}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ content: 'x', maxViews: 9 }),
  });
  expect(tooMany.status).toBe(403);
  // The refusal names its decision, which opens in the panel.
  const id = tooMany.headers.get('X-Decision-Id') ?? '';
  expect(id).not.toBe('');
  const rules = (line: string) => `package pasteport.site\n\n# ${line}\n`;
  for (const [note, text] of [
    ['low', rules('low tide')],
    ['high', rules('high tide')],
  ] as const)
    await call('POST', '/admin/policies', { files: { 'site.rego': text }, note });
  await page.goto(`/admin/policies?decision=${encodeURIComponent(id)}`);
  await expect(page.getByRole('radio', { name: 'Decision log' })).toBeChecked();
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('table')).toContainText('paste.create');
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(page).toHaveURL(/part=log/);

  // Revisions are compared, and an older one comes back into the editor.
  await page.getByRole('radio', { name: 'Revisions' }).check();
  const changes = page.getByRole('region', { name: 'Changes in site.rego' });
  await expect(changes.locator('del')).toHaveText('- # low tide');
  await expect(changes.locator('ins')).toHaveText('+ # high tide');
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('After').selectOption({ label: 'Revision 1 low' });
  await expect(page.getByText('No differences.')).toBeVisible();
  await rowOf(page, 'low').getByRole('button', { name: 'Open in the editor' }).click();
  await expect(page.getByText('Editing revision 1 low.')).toBeVisible();
  await expect(page.getByLabel('Text of site.rego')).toContainText('low tide');

  // A revision leaves as a bundle, and a bundle comes back as a draft.
  await page.getByRole('radio', { name: 'Revisions' }).check();
  const downloading = page.waitForEvent('download');
  await rowOf(page, 'high').getByRole('button', { name: 'Download' }).click();
  const bundle = await downloading;
  expect(bundle.suggestedFilename()).toBe('rules-2.tar.gz');
  await page.getByLabel('Import bundle…').setInputFiles(await bundle.path());
  await expect(page.getByRole('radio', { name: 'Rules' })).toBeChecked();
  await expect(page.getByLabel('Text of site.rego')).toContainText('high tide');
  await expect(page.getByText('Unsaved changes')).toBeVisible();

  // Another one asks before it replaces them; what is no bundle says so.
  await page.getByRole('radio', { name: 'Revisions' }).check();
  await page.getByLabel('Import bundle…').setInputFiles(await bundle.path());
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await page
    .getByLabel('Import bundle…')
    .setInputFiles({ name: 'site.rego', mimeType: 'text/plain', buffer: Buffer.from('package x') });
  await expect(page.getByText(/This is not a bundle of rules/)).toBeVisible();
});

test('what has power over the whole site asks for the password again', async ({ visit }) => {
  // The password is wrong once, which the browser notes.
  const page = await visit({ ...(await signedIn()), expected: /status of 400/ });
  // As the server answers when the sign-in is more than an hour ago.
  await page.route(
    '**/api/admin/settings/group/4',
    (route) =>
      route.fulfill({ status: 403, json: { code: 403, error: 'confirm_required', message: 'again' } }),
    { times: 1 },
  );
  await page.goto('/admin/settings/site');
  await page.getByLabel('Inside <head>').fill('<meta name="harbour" content="1">');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Confirm your password' });
  await question.getByLabel('Current password').fill('wrong');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The current password is wrong')).toBeVisible();
  await question.getByLabel('Current password').fill(adminPassword);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Settings saved')).toBeVisible();
  const rows = await call<{ key: string; value: string }[]>('GET', '/admin/settings?group=4');
  expect(rows.find((row) => row.key === 'site_custom_head')?.value).toContain('harbour');
});

test('WebDAV is tried from the settings, and preview lists say which of them wins', async ({ visit }) => {
  const page = await visit(await signedIn());
  await page.goto('/admin/settings/webdav');
  await expect(page.getByLabel('Address', { exact: true })).toHaveValue(`${program.url}/dav`);
  await page.getByLabel('Username or API key').fill('admin');
  await page.getByLabel('Password (for an API key, enter the key again)').fill(adminPassword);
  await page.getByRole('button', { name: 'Run the test' }).click();
  for (const method of ['OPTIONS', 'PROPFIND', 'PUT', 'GET', 'DELETE'])
    await expect(page.getByText(`${method}: works`)).toBeVisible();

  await page.goto('/admin/settings/preview');
  const images = page.getByRole('textbox', { name: 'Images' });
  await images.fill('png, mp4, .gif');
  await images.blur();
  await expect(page.getByText('“.gif” isn’t an extension')).toBeVisible();
  await expect(page.getByText('“mp4” is also in “Video”, which wins')).toBeVisible();
  await images.fill('png,webp');
  await page.getByLabel('Self-hosted Office viewer').fill('https://office.example.org/');
  await page.getByLabel('Self-hosted Office viewer').blur();
  await expect(page.getByText('Enter an http or https address that contains {url}')).toBeVisible();
  await page.getByLabel('Self-hosted Office viewer').fill('https://office.example.org/?src={url}');
  await page.getByLabel('External viewers for Office documents').selectOption('none');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Settings saved')).toBeVisible();
  const rows = await call<{ key: string; value: string }[]>('GET', '/admin/settings?group=2');
  const stored = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  expect(stored).toMatchObject({ preview_image_types: 'png,webp', preview_office_viewers: 'none' });
  await page.getByRole('button', { name: 'Restore defaults' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore defaults' }).click();
  await expect(images).toHaveValue(/^jpg,/);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(images).toHaveValue('png,webp');
});

test('who changes the account is signed out after a countdown, or at once', async ({ visit }) => {
  const page = await visit(await signedIn());
  await page.goto('/admin/account');
  const form = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Change username or password' }) });
  const save = form.getByRole('button', { name: 'Save' });
  const current = form.getByLabel('Current password');
  const next = form.getByLabel('New password', { exact: true });
  const again = form.getByLabel('Repeat the new password');
  await save.click();
  await expect(form.getByText('Required')).toBeVisible();
  await expect(form.getByText('Enter a new username, a new password, or both')).toBeVisible();
  await current.fill(adminPassword);
  await next.fill(adminPassword);
  await again.fill('x');
  await expect(form.getByText('The new password must differ from the current one')).toBeVisible();
  await expect(form.getByText('The passwords don’t match')).toBeVisible();
  const first = `first ${randomUUID()}`;
  await next.fill(first);
  await again.fill(first);
  await expect(form.getByText('Strong', { exact: true })).toBeVisible();
  await current.fill('wrong');
  await save.click();
  await expect(form.getByRole('alert')).toHaveText(/.+/);
  await current.fill(adminPassword);

  // Another session is seen and ended from here.
  const other = await fetch(`${program.url}/api/admin/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'Harbour phone' },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  });
  const { data } = (await other.json()) as { data: { token: string } };
  await page.reload();
  const session = page.getByRole('listitem').filter({ hasText: 'Harbour phone' });
  await session.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out' }).click();
  await expect(session).toHaveCount(0);
  const ended = await fetch(`${program.url}/api/test/admin-token`, {
    headers: { Authorization: `Bearer ${data.token}` },
  });
  expect(ended.status).toBe(401);

  await current.fill(adminPassword);
  await next.fill(first);
  await again.fill(first);
  await save.click();
  await expect(page.getByRole('status').filter({ hasText: /Signing you out in \d second/ })).toBeVisible();
  await page.getByRole('button', { name: 'Sign out now' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();

  // Once more, and wait for the end of the countdown this time.
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(first);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: 'Account' }).click();
  await current.fill(first);
  await form.getByLabel('New username').fill('harbourmaster');
  await save.click();
  await expect(page.getByText('Account updated')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
});
