import { violations } from './axe';
import { expect, test } from './fixtures';

test('a webhook is made, its secret is shown once, and a test says what became of it', async ({ visit }) => {
  const page = await visit({ admin: true });
  await page.goto('/admin/notifications/create');
  const name = `Hook ${Date.now()}`;
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('URL').fill('http://169.254.1.1/hook');
  await page.getByLabel('A share was opened').check();
  await page.getByLabel('When to send').selectOption('Daily digest');
  await expect(page.getByText('Nothing is sent if nothing happened.')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create' }).click();
  const secret = page.getByRole('alertdialog');
  await expect(secret.getByLabel('Secret', { exact: true })).toHaveValue(/^whsec_/);
  expect(await violations(page)).toEqual([]);
  await secret.getByRole('button', { name: 'I’ve saved it' }).click();

  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('Active');
  expect(await violations(page)).toEqual([]);
  await row.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText(`“${name}” didn’t receive the test: this address isn’t allowed`)).toBeVisible();

  await row.getByRole('link', { name }).click();
  await expect(page.getByLabel('A share was opened')).toBeChecked();
  await expect(page.getByLabel('When to send')).toHaveValue('daily');
  await expect(page.getByRole('heading', { name: 'Latest deliveries' })).toBeVisible();
  await expect(page.getByText('whsec_')).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
});

test('a channel for people asks for what its type needs', async ({ visit }) => {
  const page = await visit({ admin: true, expected: /status of 400/ });
  await page.goto('/admin/notifications/create');
  const name = `Mail ${Date.now()}`;
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Type').selectOption('gotify');
  await expect(page.getByLabel('Application token')).toBeVisible();
  await page.getByLabel('Type').selectOption('mail');
  await page.getByLabel('Mail server').fill('smtp://127.0.0.1:2525');
  await page.getByLabel('To', { exact: true }).fill('ops@example.com, not a mailbox');
  await page.getByLabel('From', { exact: true }).fill('paste@example.com');
  await page.getByLabel(/^Username/).fill('paste');
  await page.getByLabel(/^Password/).fill('secret');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByText('Addresses of mail are bare')).toBeVisible();
  await page.getByLabel('To', { exact: true }).fill('ops@example.com');
  await page.getByRole('button', { name: 'Create' }).click();

  // There is no secret to show, and the password is in no answer.
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('Email');
  await row.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText(`“${name}” didn’t receive the test: this address isn’t allowed`)).toBeVisible();
  await row.getByRole('link', { name }).click();
  await expect(page.getByLabel('To', { exact: true })).toHaveValue('ops@example.com');
  await expect(page.getByLabel(/^Password/)).toHaveValue('');

  // Another server needs the password again.
  await page.getByLabel('Mail server').fill('smtp://127.0.0.2:2525');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('give the password or token again')).toBeVisible();
});

test('the owner of a share is told when it is opened, on a channel of their own', async ({ visit }) => {
  const page = await visit({ admin: true });
  await page.goto('/');
  await page.getByRole('button', { name: 'Admin' }).click();
  await page.getByRole('menuitem', { name: 'Notifications' }).click();
  const dialog = page.getByRole('dialog', { name: 'Notifications' });
  const name = `Phone ${Date.now()}`;
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Topic URL').fill('http://169.254.1.1/topic');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByRole('button', { name: `Send a test to “${name}”` }).click();
  await expect(page.getByText(`“${name}” didn’t receive the test: this address isn’t allowed`)).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: `Edit “${name}”` }).click();
  const form = dialog.getByRole('form', { name: `Edit “${name}”` });
  await form.getByLabel('Topic URL').fill('http://169.254.1.1/other');
  await form.getByLabel('Active').uncheck();
  await form.getByLabel('When to send').selectOption('Weekly digest');
  expect(await violations(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('listitem')).toContainText('Weekly digest · Off');
  await expect(dialog.getByText('http://169.254.1.1/other')).toBeVisible();
  await dialog.getByRole('button', { name: `Delete “${name}”` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(dialog.getByText('No channels yet.')).toBeVisible();
});

test('a share made on the home page tells its owner when that was chosen before', async ({ visit }) => {
  const page = await visit({ admin: true });
  await page.goto('/');
  const chip = page.getByRole('button', { name: 'Tell me when opened' });
  await expect(chip).toHaveAttribute('aria-pressed', 'false');
  await chip.click();
  await expect(chip).toHaveAttribute('aria-pressed', 'true');
  await page.getByLabel('Text to share').fill('Ships at noon');
  const asked = page.waitForRequest(/\/api\/notifications\/shares\//);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  expect((await asked).postDataJSON()).toEqual({ tell: true });
  await expect(page.getByLabel('Tell me when it’s opened')).toBeChecked();
  await expect(page.getByLabel('Tell me when it’s opened')).toBeEnabled();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'New share' }).click();
  await expect(chip).toHaveAttribute('aria-pressed', 'false');
});
