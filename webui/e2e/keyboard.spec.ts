import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { adminPassword } from './program';

test('everything from sign-in to a copied paste works by keyboard alone', async ({ visit }) => {
  const page = await visit();
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'New share' })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();

  await tabTo(page, page.getByRole('link', { name: 'Sign in' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await expect(page.getByLabel('Username')).toBeFocused();
  await page.keyboard.type('admin');
  await tabTo(page, page.getByLabel('Password', { exact: true }));
  await page.keyboard.type(adminPassword);
  await page.keyboard.press('Enter');

  await expect(page.getByRole('heading', { level: 1, name: 'New share' })).toBeVisible();
  const editor = page.getByLabel('Text to share');
  await tabTo(page, editor);
  await page.keyboard.type('typed without a mouse');
  await tabTo(page, page.getByRole('button', { name: 'Unlimited views' }));
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('View limit')).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('3');
  await page.keyboard.press('Control+Enter');

  const link = page.getByLabel('Link', { exact: true });
  await expect(link).toBeFocused();
  const address = await link.inputValue();
  await tabTo(page, page.getByRole('button', { name: 'QR code' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'QR code' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'QR code' })).toBeFocused();
  await tabTo(page, page.getByRole('link', { name: 'Open', exact: true }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(address);
  await expect(page.getByText('typed without a mouse')).toBeVisible();

  await tabTo(page, page.getByRole('button', { name: 'Copy text' }));
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('typed without a mouse');

  await tabTo(page, page.getByRole('button', { name: 'More' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem').first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem').nth(1)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'More' })).toBeFocused();
});

/** tabTo presses Tab until the control has the focus, as a person would; the focus must be visible there. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeVisible();
  for (let step = 0; step < 60; step++) {
    if (await control.evaluate((element) => element === document.activeElement)) {
      await expect(control).toBeInViewport();
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reaches ${String(control)}`);
}
