import { readFile, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { createFile, freshSlug } from './api';
import { expect, test } from './fixtures';
import { sha256, wav } from './media';
import { wordsOf } from './words';

const size = 20 << 20;

for (const language of ['en-US', 'zh-CN'] as const)
  test(`20 MiB go up with progress, are played from the middle, and come down whole (${language})`, async ({
    visit,
  }, info) => {
    const say = await wordsOf(language);
    const sound = wav(size);
    const name = `港口 horn ${language}.wav`;
    const path = info.outputPath(name);
    await writeFile(path, sound);

    const page = await visit({ language, admin: true });
    await page.goto('/upload');
    await page.getByTestId('files').setInputFiles(path);
    await slowUploads(page, 8 << 20);
    await page.getByRole('button', { name: say('file.form.submit', { smart_count: 1 }) }).click();
    const progress = page.getByRole('progressbar', { name: say('file.list.progress', { name }) });
    await expect
      .poll(async () => Number(await progress.getAttribute('value')), { intervals: [50] })
      .toBeGreaterThan(10);
    await expect(page.getByRole('button', { name: say('file.list.cancel', { name }) })).toBeVisible();
    const field = page.getByLabel(say('file.results.link', { name }), { exact: true });
    await expect(field).toBeVisible({ timeout: 60_000 });
    const link = await field.inputValue();
    await expect(page.getByRole('table').getByRole('link', { name, exact: true })).toBeVisible();

    const visitor = await visit({ language });
    await visitor.goto(link);
    await expect(visitor.getByRole('heading', { level: 1, name })).toBeVisible();

    // Seeking far ahead asks the server for the rest only.
    const player = visitor.locator('audio');
    await expect
      .poll(() => player.evaluate((audio: HTMLAudioElement) => audio.duration))
      .toBeGreaterThan(100);
    const partial = visitor.waitForResponse(
      (response) => response.status() === 206 && rangeStart(response.headers()['content-range']) > size / 2,
    );
    await player.evaluate((audio: HTMLAudioElement) => {
      audio.currentTime = 100;
    });
    await partial;
    await expect
      .poll(() => player.evaluate((audio: HTMLAudioElement) => !audio.seeking && audio.currentTime))
      .toBe(100);

    const download = visitor.waitForEvent('download');
    await visitor.getByRole('link', { name: say('fileView.actions.download') }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe(name);
    expect(sha256(await readFile(await saved.path()))).toBe(sha256(sound));
  });

test('an upload is cancelled, tried again, and deleted', async ({ visit }, info) => {
  const name = 'cargo.bin';
  const path = info.outputPath(name);
  await writeFile(path, wav(4 << 20));
  const page = await visit({ admin: true });
  await page.goto('/upload');
  await page.getByTestId('files').setInputFiles(path);
  await slowUploads(page, 512 << 10);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await page.getByRole('button', { name: `Cancel ${name}` }).click();
  const row = page.getByRole('listitem').filter({ hasText: name });
  await expect(row.getByText('Canceled')).toBeVisible();

  await slowUploads(page, 0);
  await row.getByRole('button', { name: `Try ${name} again` }).click();
  const link = page.getByLabel(`Share link of ${name}`, { exact: true });
  await expect(link).toBeVisible();
  const address = await link.inputValue();

  await page.getByRole('button', { name: `Delete ${name}` }).click();
  const question = page.getByRole('alertdialog', { name: `Delete “${name}”?` });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('File deleted')).toBeVisible();
  await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0);
  await page.goto(address);
  await expect(
    page.getByRole('heading', { level: 1, name: /Share not found|no longer available/ }),
  ).toBeVisible();
});

test('a protected file tells nothing before the right password', async ({ visit }) => {
  const bytes = Buffer.from('berth 4, 7.2 m\n');
  const slug = freshSlug();
  await createFile('berths.txt', bytes, { slug, password: 'north pier', max_views: 2 });
  const page = await visit();
  await page.goto(`/file/${slug}`);
  const password = page.getByLabel('Password', { exact: true });
  await expect(password).toBeVisible();
  await expect(page.getByText('berths.txt')).toHaveCount(0);
  await password.fill('south pier');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Incorrect password, please try again').first()).toBeVisible();
  await password.fill('north pier');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'berths.txt' })).toBeVisible();
  await expect(page.getByText('berth 4, 7.2 m')).toBeVisible();
  // Half of a SHA-256 would only mislead who compares it.
  await expect(page.getByText(sha256(bytes).slice(0, 32))).toHaveCount(0);

  // The preview and the download belong to the view that opened the page.
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  expect(sha256(await readFile(await (await download).path()))).toBe(sha256(bytes));
  await expect(page.getByText('1 view left.')).toBeVisible();
});

/** slowUploads limits what the page may send, in bytes a second; 0 lifts the limit. */
async function slowUploads(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond || -1,
  });
}

function rangeStart(contentRange: string | undefined): number {
  return Number(/^bytes (\d+)-/.exec(contentRange ?? '')?.[1] ?? 0);
}
