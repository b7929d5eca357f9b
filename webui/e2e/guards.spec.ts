import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bits } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { adminPassword, startProgram, type Program } from './program';
import { wordsOf } from './words';

// A program of its own: these flows change its rules, its storages and its idea of the time.
let program: Program;
test.beforeAll(async () => {
  program = await startProgram();
});
test.afterAll(async () => {
  await program.stop();
});

/** ask makes a call of the API, as administrator unless another Authorization is given. */
async function ask(method: string, path: string, body?: unknown, authorization?: string): Promise<Response> {
  return fetch(`${program.url}/api${path}`, {
    method,
    headers: {
      Authorization: authorization ?? `Bearer ${await token()}`,
      ...(!(body instanceof FormData) && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
}

async function call<T>(method: string, path: string, body?: unknown, authorization?: string): Promise<T> {
  const answer = await ask(method, path, body, authorization);
  const read = (await answer.json()) as { data: T };
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(read)}`);
  return read.data;
}

let kept: Promise<string> | undefined;
const token = () =>
  (kept ??= fetch(`${program.url}/api/admin/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  })
    .then((answer) => answer.json() as Promise<{ data: { token: string } }>)
    .then(({ data }) => data.token));

const signedIn = async () => ({ origin: program.url, stored: { admin_token: await token() } });

async function activate(note: string, rules: string): Promise<void> {
  const { id } = await call<{ id: string }>('POST', '/admin/policies', {
    files: { 'site.rego': `package pasteport.site\n\n${rules}` },
    note,
  });
  await call('POST', `/admin/policies/${id}/activate`, {});
}

const presign = async (filename: string, size: number, authorization?: string) => {
  const configs = await call<{ id: string; driver: string }[]>('GET', '/s3-configs');
  // Flows before this one add storages that do not answer.
  const body = { s3_config_id: configs.find(({ driver }) => driver === 'local')?.id, filename, size };
  return ask('POST', '/s3/presign', body, authorization);
};

/** setBack writes into a database that nobody has open that the last clean-up was two days ago. */
function setBack(data: string): void {
  const path = join(data, 'pasteport.db');
  const bytes = readFileSync(path);
  const name = 'last_sweep';
  let changed = 0;
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
    const value = at + name.length; // milliseconds, big-endian
    if (value + 8 > bytes.length) break;
    const then = bytes.readBigUInt64BE(value);
    if (Math.abs(Date.now() - Number(then)) > 600_000) continue;
    bytes.writeBigUInt64BE(then - 2n * 86_400_000n, value);
    changed++;
  }
  if (changed === 0) throw new Error(`${path} tells of no clean-up of the last minutes`);
  writeFileSync(path, bytes);
}

for (const { language, theme, phone } of [
  { language: 'en-US', theme: 'light', phone: false },
  { language: 'zh-CN', theme: 'dark', phone: true },
] as const)
  test(`a jump of the clock holds the clean-up back until it is confirmed (${language})`, async ({
    visit,
  }) => {
    const t = await wordsOf(language);
    await call('POST', '/admin/clock/confirm');
    await program.restart(setBack);
    const held = async () => (await call<{ held: boolean }>('GET', '/admin/clock')).held;
    expect(await held()).toBe(true);

    const stored = { ...(await signedIn()).stored, themeMode: theme };
    const page = await visit({ origin: program.url, language, phone, stored });
    await page.goto('/admin');
    const confirm = page.getByRole('button', { name: t('admin.dashboard.attention.clockConfirm') });
    await expect(confirm).toBeVisible();
    expect(await violations(page)).toEqual([]);
    // The words have room beside the button, or above it.
    const words = page.getByRole('listitem').filter({ has: confirm }).locator('> span');
    expect((await words.boundingBox())?.width).toBeGreaterThanOrEqual(200);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
    await confirm.click();
    const question = page.getByRole('alertdialog', { name: t('admin.dashboard.attention.clockTitle') });
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: t('common.cancel') }).click();
    expect(await held()).toBe(true);
    await expect(confirm).toBeFocused();

    await confirm.click();
    await question.getByRole('button', { name: t('admin.dashboard.attention.clockConfirm') }).click();
    await expect(page.getByText(t('admin.dashboard.attention.clockConfirmed'))).toBeVisible();
    await expect(confirm).toHaveCount(0);
    expect(await held()).toBe(false);
  });

test('a backup that somebody altered is restored only by who says so', async ({ visit }) => {
  const made = await ask('POST', '/admin/backup');
  // Another version of the program in the manifest: the files are whole, but the signature does not fit.
  const archive = gunzipSync(new Uint8Array(await made.arrayBuffer()));
  const at = archive.indexOf('"version": "') + '"version": "'.length;
  archive[at] = (archive[at] ?? 0) ^ 1;
  const staged = async () => (await call<{ staged: unknown }>('GET', '/admin/backup')).staged;

  const page = await visit({ ...(await signedIn()), expected: /status of 400/ });
  await page.goto('/admin/backup');
  const hand = async (buffer: Buffer) => {
    await page
      .getByTestId('backup-file')
      .setInputFiles({ name: 'a.backup', mimeType: 'application/gzip', buffer });
    await page.getByLabel('Restart the server now').uncheck();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
  };
  const question = page.getByRole('alertdialog', { name: 'This backup can’t be verified' });
  await hand(gzipSync(archive));
  await expect(question).toContainText('Restore it only if you know where it comes from');
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  expect(await violations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toHaveCount(0);
  expect(await staged()).toBeNull();

  await hand(gzipSync(archive));
  await question.getByRole('button', { name: 'Restore anyway' }).click();
  await expect(page.getByText(/^The backup of .* will be restored at the next restart/)).toBeVisible();
  expect(await staged()).not.toBeNull();
  await page.getByRole('button', { name: 'Cancel restore' }).click();
  await expect(page.getByText(/^The backup of .* will be restored at the next restart/)).toHaveCount(0);

  // One that is damaged is no matter of trust.
  await hand(gzipSync(archive.subarray(0, archive.length / 2)));
  await expect(page.getByText('This is not a whole backup')).toBeVisible();
  await expect(question).toHaveCount(0);
  expect(await staged()).toBeNull();
});

test('another root folder of mounts is asked about, and kept as it was by who cancels', async ({ visit }) => {
  const { id } = await call<{ id: string }>('POST', '/s3-configs', {
    name: 'Harbour bucket',
    provider_type: 'Other S3',
    driver: 's3',
    endpoint_url: `http://${program.far}`,
    bucket_name: 'harbour',
    access_key_id: 'AKIAHARBOUR1',
    secret_access_key: 'very secret',
    options: { root_prefix: 'base/team' },
  });
  await call('POST', '/admin/mounts', {
    name: 'Team',
    mount_path: '/team',
    storage_type: 'S3',
    storage_config_id: id,
  });
  const root = async () =>
    (await call<{ options: { root_prefix: string } }>('GET', `/s3-configs/${id}`)).options.root_prefix;

  const page = await visit(await signedIn());
  await page.goto(`/admin/storage-config/${id}`);
  const field = page.getByLabel('Root folder of mounts');
  await expect(field).toHaveValue('base/team');
  await field.fill('base/other');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Change the root folder of mounts?' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  expect(await violations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  // Nothing went wrong: the form stays as it is, without a message, and asks before it is left.
  await expect(field).toHaveValue('base/other');
  await expect(page.getByText('Unsaved changes')).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0);
  expect(await root()).toBe('base/team');

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await question.getByRole('button', { name: 'Change root folder' }).click();
  await expect(page).toHaveURL(/storage-config$/);
  expect(await root()).toBe('base/other');
});

test('a form of another site does nothing with the password that the browser has for WebDAV', async ({
  browser,
}) => {
  const basic = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
  const form = new FormData();
  form.set('path', '/local');
  form.set('file', new File(['mine'], 'mine.txt'));
  // The call is one that a client may make with the password alone.
  expect((await ask('POST', '/fs/upload', form, basic)).status).toBe(200);
  const bare = await fetch(`${program.url}/dav`, { redirect: 'manual' });
  expect(bare.status).toBe(308);
  expect(bare.headers.get('location')).toBe('/dav/');
  expect(bare.headers.get('www-authenticate')).toBeNull();

  const foreign = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    answer.end(`<!doctype html><title>Elsewhere</title>
      <form method="post" enctype="multipart/form-data" action="${program.url}/api/fs/upload">
      <input name="path" value="/local"><input name="file" type="file"><button>Win</button></form>`);
  });
  await new Promise<void>((ready) => foreign.listen(0, '127.0.0.1', ready));
  const elsewhere = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
  const context = await browser.newContext({
    httpCredentials: { username: 'admin', password: adminPassword, origin: program.url },
  });
  try {
    const page = await context.newPage();
    // The browser follows to the folder, is asked there, and keeps the password.
    const folder = await page.goto(`${program.url}/dav`);
    expect(new URL(page.url()).pathname).toBe('/dav/');
    expect(folder?.status()).not.toBe(401);
    const send = async (name: string) => {
      await page.goto(elsewhere);
      await page
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('x') });
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/api/fs/upload')),
        page.getByRole('button', { name: 'Win' }).click(),
      ]);
      return answer;
    };
    // Either it is not sent outside of the folder, or it is sent and refused.
    expect([401, 403]).toContain((await send('planted.txt')).status());
    await context.setExtraHTTPHeaders({ Authorization: basic });
    const refused = await send('forced.txt');
    expect(refused.status()).toBe(403);
    expect(((await refused.json()) as { error: string }).error).toBe('permission_denied');
    const { items } = await call<{ items: { name: string }[] }>('GET', '/fs/list?path=/local');
    expect(items.map(({ name }) => name).filter((name) => name.endsWith('.txt'))).toEqual(['mine.txt']);
  } finally {
    await context.close();
    foreign.close();
  }
});

test('rules that keep failing are put back, and the dashboard leads to why', async ({ visit }) => {
  await activate('calm', '# nothing yet');
  await activate(
    'berths',
    `# METADATA
# title: Files are named by berth
deny contains {"code": "berth", "message": "No such berth."} if {
	input.action == "file.upload"
	startswith(input.resource.name, "berth-")
	to_number(substring(input.resource.name, 6, -1)) > 500
}
`,
  );
  for (let tries = 0; tries < 10; tries++) expect((await presign('berth-x', 1)).status).toBe(503);
  const failed = async () =>
    (await call<{ state: { failed: string } }>('GET', '/admin/policies')).state.failed;
  await expect.poll(failed).toContain('to_number');
  // The file's name no longer matters, once the engine has the rules of before.
  await expect.poll(async () => (await presign('berth-y', 1)).status).toBe(200);

  const page = await visit(await signedIn());
  await page.goto('/admin');
  const said = 'The latest rules kept failing, so the previous ones are active again';
  await expect(page.getByRole('link', { name: said })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: said }).click();
  await expect(page).toHaveURL(/policies$/);
  await expect(page.getByRole('alert').filter({ hasText: said })).toContainText('to_number');
  expect(await violations(page)).toEqual([]);
});

for (const language of ['en-US', 'zh-CN'] as const)
  test(`a key sees what it has used of what it may upload (${language})`, async ({ visit }) => {
    const t = await wordsOf(language);
    await activate('no quotas', '# nothing yet');
    const name = `Office ${language}`;
    const { key } = await call<{ key: string }>('POST', '/admin/api-keys', {
      name,
      permissions: bits.TEXT + bits.FILE_SHARE,
      basic_path: '/',
      expires_at: 'never',
    });
    const page = await visit({
      origin: program.url,
      language,
      phone: language === 'zh-CN',
      stored: { api_key: key, themeMode: language === 'zh-CN' ? 'dark' : 'light' },
      expected: /Failed to load resource/,
    });
    await page.goto('/');
    const open = async () => {
      await page.getByRole('button', { name: t('app.who.key', { name }) }).click();
      await page.getByRole('menuitem', { name: t('app.who.usage') }).click();
    };
    const dialog = page.getByRole('dialog', { name: t('usage.title') });
    await open();
    await expect(dialog.getByText(t('usage.none'))).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await activate(
      'quotas',
      `limit contains {"name": "quota_bytes_day", "value": 2048} if input.subject.type == "apikey"

limit contains {"name": "quota_files_day", "value": 1} if input.subject.type == "apikey"
`,
    );
    const sent = await presign('report.bin', 512, `ApiKey ${key}`);
    const { data } = (await sent.json()) as { data: { file_id: string; upload_url: string } };
    const put = await fetch(new URL(data.upload_url, program.url), { method: 'PUT', body: 'x'.repeat(512) });
    const etag = put.headers.get('etag');
    await call('POST', '/s3/commit', { file_id: data.file_id, size: 512, etag }, `ApiKey ${key}`);

    // Without an answer it says so, and asks again when told to.
    await page.route('**/api/usage', (route) => route.abort(), { times: 1 });
    await open();
    await expect(dialog.getByText(t('errors.http.network'))).toBeVisible();
    await dialog.getByRole('button', { name: t('common.retry') }).click();
    const size = { bytes: language === 'zh-CN' ? '512 B / 2 KB' : '512 B of 2 KB', left: '1.5 KB' };
    await expect(dialog).toContainText(size.bytes);
    await expect(dialog).toContainText(t('usage.left', { left: size.left }));
    await expect(dialog).toContainText(t('usage.reached'));
    await expect(dialog).toContainText(t('usage.noLimit', { used: '512 B' }));
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  });
