import { mkdir, utimes, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { asAdmin, freshSlug } from './api';
import { violations } from './axe';
import { expect } from './fixtures';
import { test, type Line } from './line';
import { wav } from './media';
import { wordsOf } from './words';

interface Made {
  id: string;
  url: string;
}

const makeRequest = (fields: Record<string, unknown>) => asAdmin<Made>('POST', '/requests', fields);

/** pathOf is the page of a request, behind whichever origin. */
const pathOf = ({ url }: Made) => new URL(url).pathname;

const received = async ({ id }: Made) =>
  (
    await asAdmin<{ files: { name: string; size: number; sender: string; note: string }[] }>(
      'GET',
      `/requests/${id}/files`,
    )
  ).files.toSorted((a, b) => a.size - b.size);

for (const language of ['en-US', 'zh-CN'] as const)
  test(`somebody without an account sends files from a phone (${language})`, async ({ visit }, info) => {
    const say = await wordsOf(language);
    const made = await makeRequest({
      title: `港口 photos ${language}`,
      message: 'Of the regatta,\nplease.',
      ask_name: 'required',
      ask_note: 'optional',
      password: 'north pier',
      max_file_bytes: 50 << 20,
      types: ['audio/*'],
    });
    const paths = [info.outputPath('horn.wav'), info.outputPath('港口.wav')];
    await writeFile(paths[0] ?? '', wav(1 << 20));
    await writeFile(paths[1] ?? '', wav(12 << 20));

    const page = await visit({ language, phone: true });
    await page.goto(made.url);
    await page.getByLabel(say('shareGate.password.label'), { exact: true }).fill('north pier');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: `港口 photos ${language}` })).toBeVisible();
    await expect(page.getByText('Of the regatta,')).toBeVisible();
    // Nothing can be dragged on a phone.
    await expect(page.getByText(say('request.drop'))).toHaveCount(0);
    await page.getByTestId('files').setInputFiles(paths);
    const send = page.getByRole('button', { name: say('request.send', { smart_count: 2 }) });
    await send.click();
    const name = page.getByLabel(say('request.sender'));
    await expect(name).toBeFocused();
    await expect(page.getByText(say('request.missing'))).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await name.fill('Ann 安');
    await page.getByLabel(say('request.note')).fill('Two takes');
    await send.click();
    await expect(page.getByRole('heading', { name: say('request.thanks') })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    expect(await received(made)).toMatchObject([
      { name: 'horn.wav', sender: 'Ann 安', note: 'Two takes' },
      { name: '港口.wav', size: 12 << 20 },
    ]);

    // What was sent is told again after a reload, to this browser alone.
    await page.reload();
    await expect(page.getByRole('heading', { name: say('request.sent') })).toBeVisible();
    const other = await visit({ language, phone: true });
    await other.goto(made.url);
    await expect(other.getByLabel(say('shareGate.password.label'), { exact: true })).toBeVisible();
    await expect(other.getByText('港口.wav')).toHaveCount(0);

    await asAdmin('POST', `/requests/${made.id}/end`, {});
    await other.reload();
    await expect(other.getByRole('heading', { level: 1, name: say('request.gone.title') })).toBeVisible();
    expect(await violations(other)).toEqual([]);
  });

test('a file goes on after the page was closed, and one of another type is told so', async ({
  visit,
  line,
  origin,
}, info) => {
  const made = await makeRequest({ title: 'Recordings', types: ['audio/*'] });
  const path = info.outputPath('long.wav');
  const other = info.outputPath('other', 'long.wav');
  const content = wav(22 << 20);
  await writeFile(path, content);
  await mkdir(info.outputPath('other'));
  await writeFile(other, Buffer.concat([content.subarray(0, -1), Buffer.from([1])]));
  for (const file of [path, other]) await utimes(file, 1_700_000_000, 1_700_000_000);
  const page = await visit({ origin, phone: true, expected: /415|Failed to load resource/ });
  line.through = 2;
  line.cuts = true;
  await page.goto(pathOf(made));
  await page.getByTestId('files').setInputFiles(path);
  await page.getByRole('button', { name: 'Send 1 file' }).click();
  await expect(page.getByText('Progress is saved; retry to continue.')).toBeVisible();
  expect(await violations(page)).toEqual([]);

  line.release();
  await page.reload();
  await expect(page.getByText('Choose an unfinished file again to resume its upload.')).toBeVisible();
  await expect(page.getByText('10 MB of 22 MB uploaded')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  let again = 0;
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().includes('/api/blob/')) again++;
  });
  const resume = page.getByTestId('resume long.wav');
  await resume.setInputFiles(other);
  await expect(page.getByText(/That’s a different file/)).toBeVisible();
  await resume.setInputFiles(path);
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible();
  expect(again).toBe(3);
  expect((await received(made)).map(({ size }) => size)).toEqual([content.length]);

  await page.getByRole('button', { name: 'Send more files' }).click();
  await expect(page.getByRole('heading', { name: 'Sent by you' })).toBeVisible();
  const fake = info.outputPath('fake.wav');
  await writeFile(fake, '#!/bin/sh\n');
  await page.getByTestId('files').setInputFiles(fake);
  await page.getByRole('button', { name: 'Send 1 file' }).click();
  await expect(page.getByText('This type of file isn’t accepted.')).toBeVisible();
  expect(await received(made)).toHaveLength(1);
});

/** sendSlowly begins to send a large file, of which a part comes through before the line is released. */
async function sendSlowly(page: Page, line: Line, made: Made, path: string): Promise<void> {
  await writeFile(path, wav(22 << 20));
  line.through = 1;
  await page.goto(pathOf(made));
  await page.getByTestId('files').setInputFiles(path);
  await page.getByRole('button', { name: 'Send 1 file' }).click();
  await expect.poll(() => line.parts).toBeGreaterThan(1);
}

test('a file goes on and arrives behind other pages, which lead back; closing asks', async ({
  visit,
  line,
  origin,
}, info) => {
  const made = await makeRequest({ title: 'Recordings', types: ['audio/*'] });
  const page = await visit({ origin });
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await sendSlowly(page, line, made, info.outputPath('long.wav'));
  const home = page.getByRole('link', { name: 'Home', exact: true });
  await home.click();
  await expect(page).toHaveURL(/\/$/);
  await page.getByRole('link', { name: /^Uploading \d+%$/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Recordings' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Pause long.wav' })).toBeVisible();
  await expect(page.getByRole('link', { name: /^Uploading/ })).toHaveCount(0);
  await home.click();
  await expect(page).toHaveURL(/\/$/);
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => asked).toEqual(['beforeunload']);

  line.release();
  await expect.poll(async () => (await received(made)).map(({ size }) => size)).toEqual([22 << 20]);
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible();
  await expect(page.getByText('long.wav')).toHaveCount(1);
});

test('who is signed in finds a file for a request among the uploads, and what is left of it on its page alone', async ({
  visit,
  line,
  origin,
}, info) => {
  const made = await makeRequest({ title: 'Recordings', types: ['audio/*'] });
  const page = await visit({ origin, admin: true });
  page.on('dialog', (dialog) => void dialog.accept());
  const path = info.outputPath('long.wav');
  await sendSlowly(page, line, made, path);
  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'long.wav' });
  await expect(row).toContainText('For a file request');
  await row.getByRole('button', { name: 'Pause long.wav' }).click();
  await expect(row.getByText('Paused')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Upload files' })).toBeVisible();
  await page.goto(pathOf(made));
  await expect(page.getByText(/ of 22 MB uploaded$/)).toBeVisible();
  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Upload files' })).toBeVisible();
  await expect(page.getByTestId('files')).toBeAttached();
  await expect(page.getByRole('heading', { name: 'Unfinished uploads' })).toHaveCount(0);

  // The usual way to choose a file finds what is left of it, too.
  line.release();
  await page.goBack();
  await page.getByTestId('files').setInputFiles(path);
  await page.getByRole('button', { name: 'Send 1 file' }).click();
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible();
  await expect(page.getByTestId('resume long.wav')).toHaveCount(0);
  expect((await received(made)).map(({ size }) => size)).toEqual([22 << 20]);
});

test('a request is made for a folder, found in the panel, changed and ended', async ({ visit }) => {
  const folder = `inbox-${freshSlug()}`;
  await asAdmin('POST', '/fs/mkdir', { path: `/local/${folder}` });
  const page = await visit({ admin: true });
  await page.goto('/mount-explorer/local');
  // A menu closes when the list moves, as it may: other flows make folders beside this one.
  const ask = () =>
    expect(async () => {
      await page.getByRole('link', { name: folder }).click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Request files…' }).click({ timeout: 3000 });
    }).toPass();
  await ask();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill(`For ${folder}`);
  await dialog.getByLabel('File types').selectOption('image');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Request files' }).click();
  const url = await dialog.getByLabel('Link', { exact: true }).inputValue();
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  await ask();
  await expect(dialog.getByRole('button', { name: `End “For ${folder}”` })).toBeVisible();
  await page.keyboard.press('Escape');

  const sender = await visit({ phone: true });
  await sender.goto(url);
  await expect(sender.getByText('Accepted: Images')).toBeVisible();

  await page.goto('/admin/requests');
  const row = page.getByRole('row').filter({ hasText: folder });
  await row.getByRole('link', { name: `For ${folder}` }).click();
  await page.getByLabel('Title').fill(`Now for ${folder}`);
  await page.getByLabel('File types').selectOption('any');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const changed = page.getByRole('row').filter({ hasText: `Now for ${folder}` });
  await expect(changed).toContainText('Open');
  await sender.reload();
  await expect(sender.getByRole('heading', { level: 1, name: `Now for ${folder}` })).toBeVisible();

  await changed.getByRole('button', { name: /Actions/ }).click();
  await page.getByRole('menuitem', { name: 'End' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End' }).click();
  await expect(changed).toContainText('Ended');
  await sender.reload();
  await expect(sender.getByRole('heading', { level: 1, name: 'This request is closed' })).toBeVisible();
});
