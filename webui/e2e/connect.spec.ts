import { readFile } from 'node:fs/promises';
import { violations } from './axe';
import { expect, test } from './fixtures';

/** Sxcu is what ShareX reads of a custom uploader. */
interface Sxcu {
  RequestMethod: string;
  RequestURL: string;
  Headers: Record<string, string>;
  Body: string;
  FileFormName: string;
  URL: string;
  ThumbnailURL: string;
  DeletionURL: string;
  ErrorMessage: string;
}

/** upload does with a file what ShareX does, by its documentation: a form with one file, and addresses from the answer. */
async function upload(sxcu: Sxcu, file: File) {
  expect(sxcu.Body).toBe('MultipartFormData');
  const form = new FormData();
  form.append(sxcu.FileFormName, file);
  const answer = await fetch(sxcu.RequestURL, {
    method: sxcu.RequestMethod,
    headers: sxcu.Headers,
    body: form,
  });
  const text = await answer.text();
  const read = (syntax: string) =>
    syntax.replace(/\{(json|header):([^{}]+)\}/g, (_, kind: string, name: string) => {
      if (kind === 'header') return answer.headers.get(name) ?? '';
      const found = name
        .split('.')
        .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], JSON.parse(text));
      return String(found);
    });
  return {
    status: answer.status,
    url: read(answer.ok ? sxcu.URL : ''),
    thumbnail: read(answer.ok ? sxcu.ThumbnailURL : ''),
    deletion: read(answer.ok ? sxcu.DeletionURL : ''),
    error: read(answer.ok ? '' : sxcu.ErrorMessage),
  };
}

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

for (const [language, viewport] of [
  ['en-US', { width: 1280, height: 800 }],
  ['zh-CN', { width: 390, height: 844 }],
] as const) {
  test(`a program gets a key with just its rights, and ShareX works with its file (${language})`, async ({
    visit,
  }) => {
    const chinese = language === 'zh-CN';
    const page = await visit({ admin: true, language });
    await page.setViewportSize(viewport);
    await page.goto('/admin/key-management');
    await page.getByRole('button', { name: chinese ? '连接程序' : 'Connect a program' }).click();
    const choice = page.getByRole('dialog');
    expect(await violations(page)).toEqual([]);
    await choice.getByRole('button', { name: /^ShareX/ }).click();
    await expect(page).toHaveURL(/key-management\/create$/);
    await expect(page.getByLabel(chinese ? '分享文件' : 'Share files', { exact: true })).toBeChecked();
    await expect(page.getByLabel(chinese ? '分享文本' : 'Share texts', { exact: true })).not.toBeChecked();
    await page
      .getByRole('textbox', { name: chinese ? '名称' : 'Name', exact: true })
      .fill(`ShareX ${language}`);
    await page.getByRole('button', { name: chinese ? '新建' : 'Create', exact: true }).click();
    const once = page.getByRole('alertdialog');
    await expect(once).toContainText(chinese ? '可分享文件，有效期至' : 'May share files until');
    await expect(once.getByRole('combobox')).toHaveValue('sharex');
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    const saved = page.waitForEvent('download');
    await once.getByRole('button', { name: /\.sxcu$/ }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toMatch(/\.sxcu$/);
    const sxcu = JSON.parse(await readFile(await download.path(), 'utf8')) as Sxcu;

    const done = await upload(sxcu, new File([picture], '截图.png', { type: 'image/png' }));
    expect(done.status).toBe(200);
    expect(done.url).toMatch(/\/file\/\w+$/);
    const thumbnail = await fetch(done.thumbnail);
    expect(thumbnail.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await thumbnail.arrayBuffer()).equals(picture)).toBe(true);
    const card = await (await fetch(done.url)).text();
    expect(card).toContain(`<meta property="og:image" content="${done.thumbnail}">`);
    // The deletion link opens in a browser, where one button asks.
    await page.goto(done.deletion);
    await page.getByRole('button').click();
    await expect(async () => expect((await fetch(done.thumbnail)).status).toBe(404)).toPass();
    const refused = await upload(
      { ...sxcu, Headers: { ...sxcu.Headers, Authorization: 'ApiKey wrong-key' } },
      new File([picture], 'a.png'),
    );
    expect(refused.status).toBe(401);
    expect(refused.error).not.toBe('');
  });
}

test('a key is rotated while programs still use the old one, which is ended by hand', async ({ visit }) => {
  const page = await visit({ admin: true });
  await page.goto('/admin/key-management/create');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('overlap');
  await page.getByLabel('Share texts', { exact: true }).check();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const once = page.getByRole('alertdialog');
  const value = () => once.getByRole('textbox').inputValue();
  const old = await value();
  await once.getByRole('button', { name: 'I’ve saved it' }).click();
  const works = async (key: string) =>
    (await fetch(new URL('/api/test/api-key', page.url()), { headers: { Authorization: `ApiKey ${key}` } }))
      .ok;
  const row = page.getByRole('row').filter({ hasText: 'overlap' });
  const choose = async (action: string) => {
    await row.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  await choose('Rotate key');
  await expect(page.getByRole('combobox', { name: 'Old key works for' })).toHaveValue('day');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Rotate key', exact: true }).click();
  const fresh = await value();
  await once.getByRole('button', { name: 'I’ve saved it' }).click();
  await expect(row).toContainText('Old: ');
  expect([await works(old), await works(fresh)]).toEqual([true, true]);

  await choose('End old key');
  await page.getByRole('button', { name: 'End old key', exact: true }).click();
  await expect(row).not.toContainText('Old: ');
  expect([await works(old), await works(fresh)]).toEqual([false, true]);
});
