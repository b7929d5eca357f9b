import { createPaste, freshSlug } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { wordsOf } from './words';

const pages = ['policies', 'audit', 'shares', 'tasks', 'backup', 'second-step'] as const;
const titles = {
  policies: 'policies',
  audit: 'audit',
  shares: 'shares',
  tasks: 'tasks',
  backup: 'backup',
  'second-step': 'secondStep',
} as const;

// Language, theme and size are varied together: each pair of values is seen at least once.
for (const { language, theme, phone } of [
  { language: 'en-US', theme: 'light', phone: false },
  { language: 'zh-CN', theme: 'dark', phone: true },
] as const) {
  test(`pages of operation in ${language}, ${theme}, ${phone ? 'phone' : 'desktop'}`, async ({ visit }) => {
    test.setTimeout(180_000);
    const t = await wordsOf(language);
    await createPaste({ content: 'x', slug: freshSlug() });
    const page = await visit({ admin: true, language, phone, stored: { themeMode: theme } });
    for (const path of pages) {
      await page.goto(`/admin/${path}`);
      await expect(
        page.getByRole('heading', { level: 1, name: t(`admin.pages.${titles[path]}`) }),
      ).toBeVisible();
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      expect(await violations(page), path).toEqual([]);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wider, `${path} is wider than the screen`).toBeLessThanOrEqual(0);
    }
  });
}
