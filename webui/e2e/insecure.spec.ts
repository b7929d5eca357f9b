import { serverUrl } from './api';
import { expect, test } from './fixtures';

// Over plain http on an address that is not loopback browsers withhold the
// clipboard, crypto.subtle, randomUUID and more. Everything must work there.

const origin = () => serverUrl().replace('127.0.0.1', 'pasteport.test');

test('a text is shared and its link copied in an insecure context', async ({ visit }) => {
  const page = await visit({ origin: origin(), admin: true });
  await page.goto('/');
  expect(
    await page.evaluate(() => [isSecureContext, 'clipboard' in navigator, 'randomUUID' in crypto]),
  ).toEqual([false, false, false]);
  await page.getByLabel('Text to share').fill('over plain http');
  await page.getByRole('button', { name: 'Password', exact: true }).click();
  await page.getByLabel('Password (optional)').fill('anchor');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const link = await page.getByLabel('Link', { exact: true }).inputValue();
  expect(link).toMatch(/^http:\/\/pasteport\.test:\d+\/paste\//);
  await page.getByRole('button', { name: 'Copy link', exact: true }).click();
  await page.getByRole('button', { name: 'New share' }).click();
  // What is on the clipboard shows when it is pasted.
  await page.getByLabel('Text to share').focus();
  await page.keyboard.press('Control+v');
  await expect(page.getByLabel('Text to share')).toHaveValue(link);

  const visitor = await visit({ origin: origin() });
  await visitor.goto(link);
  await visitor.getByLabel('Password', { exact: true }).fill('anchor');
  await visitor.keyboard.press('Enter');
  await expect(visitor.getByText('over plain http')).toBeVisible();
});

test('a file is uploaded and shown in an insecure context', async ({ visit }) => {
  const page = await visit({ origin: origin(), admin: true });
  await page.goto('/upload');
  await page
    .getByTestId('files')
    .setInputFiles({ name: 'lan.txt', mimeType: 'text/plain', buffer: Buffer.from('from the next room') });
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  const link = await page.getByLabel('Share link of lan.txt', { exact: true }).inputValue();
  const visitor = await visit({ origin: origin() });
  await visitor.goto(link);
  await expect(visitor.getByText('from the next room')).toBeVisible();
});
