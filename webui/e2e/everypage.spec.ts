import type { Page } from '@playwright/test';
import { asAdmin, createFile, createPaste, freshSlug, putFile } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { opposites } from './looks';
import { png } from './media';
import { forms, panel } from './panel';
import { wordsOf } from './words';
import { zip } from './zip';

// Every page there is, in a window of 320 px and at 200 %.

const markdown = `# Tides\n\n${'| high | low |\n| --- | --- |\n| noon | dusk |\n\n'}## Ships\n\n\`\`\`go\nfunc main() {}\n\`\`\`\n`;
const bytes = (text: string) => new TextEncoder().encode(text);

/** made are the addresses of the pages outside of the panel. */
async function made(): Promise<string[]> {
  const [text, code, locked, once, folder] = [
    freshSlug(),
    freshSlug(),
    freshSlug(),
    freshSlug(),
    freshSlug(),
  ];
  await createPaste({ slug: text, content: markdown, syntax: 'markdown', remark: 'Tides of the harbour' });
  await createPaste({ slug: code, content: 'func main() {}\n'.repeat(40), syntax: 'go' });
  await createPaste({ slug: locked, content: 'x', password: 'anchor' });
  await createPaste({ slug: once, content: 'x', maxViews: 1 });
  const files: Record<string, Uint8Array<ArrayBuffer>> = {
    'a very long name of a picture from the northern pier.png': png(640, 360),
    'log.md': bytes(markdown),
    'berths.csv': bytes('ship,berth\nAurora,4\n'),
    'boat.zip': zip({ 'hull/plan.txt': 'oak' }),
  };
  const shared: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const slug = freshSlug();
    await createFile(name, content, { slug });
    await putFile(`/local/${folder}/${name}`, content);
    shared.push(`/file/${slug}`);
  }
  await asAdmin('POST', '/fs/mkdir', { path: `/local/${folder}/empty` });
  const lent = await asAdmin<{ slug: string }>('POST', '/collections', { folder: `/local/${folder}` });
  const asked = await asAdmin<{ url: string }>('POST', '/requests', {
    title: 'Photos of the regatta',
    ask_name: 'required',
  });
  return [
    '/',
    '/upload',
    ...[text, code, locked, once, 'never-made'].map((slug) => `/paste/${slug}`),
    ...shared,
    '/file/never-made',
    `/collection/${lent.slug}`,
    new URL(asked.url).pathname,
    '/r/never-made',
    '/mount-explorer/',
    `/mount-explorer/local/${folder}`,
    `/mount-explorer/local/${folder}/empty`,
    `/mount-explorer/local/${folder}?preview=log.md`,
    '/no/such/page',
  ];
}

async function open(page: Page, path: string) {
  await page.goto(path);
  await loaded(page);
}

async function loaded(page: Page) {
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached();
  await expect(page.locator('[aria-busy="true"], [data-loading]')).toHaveCount(0);
}

/** walk goes to a page of the panel within the app, as its menu does. */
async function walk(page: Page, path: string) {
  const left = await page.evaluate((to) => {
    const heading = document.querySelector('h1');
    heading?.setAttribute('data-left', heading.textContent);
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
    return heading?.textContent ?? '';
  }, path);
  // React may keep the element, for another text.
  const before = page.getByRole('heading', { level: 1, name: left, exact: true });
  await expect(page.locator('h1[data-left]').and(before), `${path} is shown`).toHaveCount(0);
  await loaded(page);
}

/** cut are the controls and headings that stand partly outside of the window, where nothing scrolls to them. */
const cut = (page: Page) =>
  page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
    // A phone shows more than its width of a page that is wider.
    const { clientWidth, scrollWidth } = document.documentElement;
    return [
      ...(scrollWidth > clientWidth ? ['the page itself'] : []),
      ...[...document.querySelectorAll('button, a, input, select, textarea, h1, h2, label')]
        .filter((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          return (
            width > 1 &&
            right > 0 &&
            (right > clientWidth + 1 || left < -1) &&
            !scrolls(element.parentElement)
          );
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    ];
  });

const softly = expect.configure({ soft: true });

async function expectNothingCut(page: Page, path: string) {
  for (const [width, height] of [
    [320, 640],
    [640, 360],
  ] as const) {
    await page.setViewportSize({ width, height });
    // The page hears of its new width in a moment of its own.
    await softly.poll(() => cut(page), `${path} at ${width} px`).toEqual([]);
  }
}

test.describe.configure({ timeout: 8 * 60_000 });

for (const { language, theme, phone, name } of opposites) {
  test(`every page of the panel is accessible, and not cut in narrow windows: ${name}`, async ({ visit }) => {
    const slug = freshSlug();
    await createPaste({ content: '# 标题\n\ntext', slug, remark: 'A remark', password: 'pw' });
    await createFile('look.txt', bytes('look'), { slug });
    const say = await wordsOf(language);
    const page = await visit({ language, admin: true, phone, stored: { themeMode: theme } });
    const size = page.viewportSize() ?? { width: 0, height: 0 };
    // From a page of the site, so that each page of the panel is gone to.
    await open(page, '/upload');
    for (const [path, title] of Object.entries({ ...panel, ...forms })) {
      await page.setViewportSize(size);
      await walk(page, `/admin/${path}`);
      await expect(page.getByRole('heading', { level: 1, name: say(title), exact: true })).toBeVisible();
      await expect(page.locator(`html[lang=${language}][data-theme=${theme}]`)).toBeAttached();
      expect.soft(await violations(page), path).toEqual([]);
      expect.soft(await cut(page), path).toEqual([]);
      await expectNothingCut(page, path);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const menu = page.locator('aside nav a');
    await expect(menu).toHaveCount(Object.keys(panel).length);
    expect(
      await menu.evaluateAll((links) =>
        links.map((link) => new URL((link as HTMLAnchorElement).href).pathname.replace(/^\/admin\/?/, '')),
      ),
    ).toEqual(Object.keys(panel));
  });

  test(`no page outside of the panel is cut in narrow windows: ${name}`, async ({ visit }) => {
    const page = await visit({ language, admin: true, phone, stored: { themeMode: theme } });
    for (const path of await made()) {
      await open(page, path);
      await expectNothingCut(page, path);
    }
  });
}

test('the menu of a row, and the colours of the site, are without fault for those who hear or see them otherwise', async ({
  visit,
}) => {
  await createPaste({ slug: freshSlug(), content: 'x' });
  const page = await visit({ admin: true });
  await open(page, '/admin/text-management');
  await page.getByRole('row').locator('[aria-haspopup=menu]').first().click();
  await expect(page.getByRole('menu')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await open(page, '/admin/settings/site');
  await page.emulateMedia({ forcedColors: 'active' });
  expect(await violations(page)).toEqual([]);
});
