import type { Page } from '@playwright/test';
import type { Language } from './words';

const languages = ['zh-CN', 'en-US'] satisfies Language[];
const themes = ['light', 'dark'] as const;
const sizes = ['phone', 'desktop'] as const;

const all = languages.flatMap((language, l) =>
  themes.flatMap((theme, t) =>
    sizes.map((size, s) => ({
      language,
      theme,
      phone: size === 'phone',
      name: `${language}, ${theme}, ${size}`,
      even: (l + t + s) % 2 === 0,
      opposite: l === s && l !== t,
    })),
  ),
);

const long = process.env.PASTEPORT_TEST_LONG;

/** looks are the ways to see a page; without PASTEPORT_TEST_LONG four of them, which have each two values together. */
export const looks = all.filter(({ even }) => long || even);

/** opposites are the ways to see a page; without PASTEPORT_TEST_LONG two of them, which have each value once. */
export const opposites = all.filter(({ opposite }) => long || opposite);

/** picture keeps with PASTEPORT_TEST_LONG what a page looks like, in test-results/screens, for people to look at. */
export async function picture(page: Page, screen: string, look: (typeof all)[number]): Promise<void> {
  const path = `test-results/screens/${screen}.${look.name.replaceAll(', ', '.')}.png`;
  if (long) await page.screenshot({ path, fullPage: true });
}
