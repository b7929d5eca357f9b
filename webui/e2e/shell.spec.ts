import { expect, test } from './fixtures';

test('switching language and theme keeps text and caret of both editors', async ({ visit }) => {
  const page = await visit({ stored: { themeMode: 'light', 'pp.editorMode': 'plain' } });
  await page.goto('/');
  const plain = page.getByLabel('Text to share');
  await plain.fill('one two three');
  await plain.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(4, 7));
  await page.getByRole('button', { name: 'Theme: light. Switch to dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await expect(page).toHaveTitle(/[\u4e00-\u9fff]/);
  const area = page.locator('textarea');
  await expect(area).toHaveValue('one two three');
  expect(
    await area.evaluate(({ selectionStart, selectionEnd }: HTMLTextAreaElement) => [
      selectionStart,
      selectionEnd,
    ]),
  ).toEqual([4, 7]);

  // The Markdown editor: what is typed next lands where the caret was.
  await page.getByRole('radio', { name: '源码' }).check();
  const editor = page.locator('.cm-content');
  await editor.fill('alpha omega');
  await editor.press('Home');
  for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowRight');
  await page.getByRole('button', { name: /主题/ }).click();
  await page.locator('header [aria-haspopup=menu]').last().click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
  await page.locator('.cm-content').focus();
  await page.keyboard.type('beta ');
  await expect(page.locator('.cm-content')).toHaveText('alpha beta omega');
  await page.keyboard.press('Control+z');
  await expect(page.locator('.cm-content')).toHaveText('alpha omega');

  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
});

test('an unknown address says so and returns home unless it is stopped', async ({ visit }) => {
  const page = await visit();
  const answer = await page.goto('/no/such/page');
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
  await page.getByRole('button', { name: 'Stay here' }).click();
  await expect(page.getByText(/Back to the home page in/)).toHaveCount(0);

  await page.goto('/another/one');
  await expect(page.getByText(/Back to the home page in/)).toBeVisible();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Share a text' })).toBeVisible();
});

test('the menu of a phone opens, closes by Escape and leads on', async ({ visit }) => {
  const page = await visit({ phone: true });
  await page.goto('/');
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.getByRole('link', { name: 'Upload', exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: 'Upload', exact: true })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Menu' })).toBeFocused();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Upload files' })).toBeFocused();
});

test('a draft survives a reload and can be cleared and brought back', async ({ visit }) => {
  const page = await visit();
  await page.goto('/');
  await page.getByLabel('Text to share').fill('half a thought');
  await expect(page.getByText('Draft saved on this device')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Text to share')).toHaveValue('half a thought');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clear' }).click();
  await expect(page.getByLabel('Text to share')).toHaveValue('');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByLabel('Text to share')).toHaveValue('half a thought');
});
