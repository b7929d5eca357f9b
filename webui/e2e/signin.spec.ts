import { bits, createKey, freshSlug } from './api';
import { expect, test } from './fixtures';
import { adminPassword } from './program';
import { wordsOf } from './words';

for (const language of ['en-US', 'zh-CN'] as const)
  test(`an administrator signs in, after a wrong password, and out again (${language})`, async ({
    visit,
  }) => {
    const say = await wordsOf(language);
    const page = await visit({ language });
    await page.goto('/');
    await expect(page.getByText(say('common.gate.signedOut.text'))).toBeVisible();
    await expect(page.getByRole('button', { name: say('home.share.submit'), exact: true })).toBeDisabled();
    await page.getByRole('link', { name: say('common.gate.action') }).click();

    await expect(page.getByLabel(say('login.username'))).toBeFocused();
    await page.getByLabel(say('login.username')).fill('admin');
    await page.getByLabel(say('login.password'), { exact: true }).fill('not it');
    await page.getByRole('button', { name: say('login.submit') }).click();
    await expect(page.getByRole('alert').getByText(say('login.invalid'))).toBeVisible();
    await page.getByLabel(say('login.password'), { exact: true }).fill(adminPassword);
    await page.keyboard.press('Enter');

    // Signing in leads back to the page it was asked for.
    await expect(page).toHaveURL('/');
    await expect(page.getByRole('button', { name: say('home.share.submit'), exact: true })).toBeEnabled();
    await page.reload();
    await page.getByRole('button', { name: say('app.who.admin'), exact: true }).click();
    await page.getByRole('menuitem', { name: say('app.who.signOut') }).click();
    await expect(page.getByText(say('app.who.signedOut'))).toBeVisible();
    await expect(page.getByText(say('common.gate.signedOut.text'))).toBeVisible();
    expect(await page.evaluate(() => localStorage.getItem('admin_token'))).toBeNull();
  });

test('a key signs in and sees what it may and may not do', async ({ visit }) => {
  const name = freshSlug();
  const key = await createKey(name, bits.TEXT);
  const page = await visit();
  await page.goto('/admin');
  await page.getByRole('radio', { name: 'API key' }).check();
  await page.getByLabel('API key', { exact: true }).and(page.locator('input[name=key]')).fill('not-a-key');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('The API key is invalid or has expired').first()).toBeVisible();
  await page.locator('input[name=key]').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Texts' })).toBeVisible();
  await expect(page.getByText('User panel', { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: `Key: ${name}` })).toBeVisible();

  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  await expect(
    page.getByText('Your key doesn’t allow this. Ask your administrator for access.'),
  ).toBeVisible();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toBeEnabled();
});

test('the upload page asks for a sign-in and returns to itself', async ({ visit }) => {
  const page = await visit();
  await page.goto('/upload');
  await expect(
    page.getByText('Sign in as an administrator, or with an API key that can share files'),
  ).toBeVisible();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(adminPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL('/upload');
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
});
