import type { Page } from '@playwright/test';
import { asAdmin, createFile, createPaste, freshSlug, putFile } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { png } from './media';
import type { Language } from './words';
import { zip } from './zip';

// Every page there is, those of the panel as its menu lists them, in the narrowest window and enlarged.

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

/** formsBelow are pages of the panel that its menu does not list. */
const formsBelow = ['storage-config', 'mount-management', 'key-management', 'requests', 'notifications'].map(
  (path) => `/admin/${path}/create`,
);

async function everyPage(page: Page): Promise<string[]> {
  await page.goto('/admin');
  const items = page.locator('aside nav a');
  await expect(items.first()).toBeAttached();
  const panel = await items.evaluateAll((links) =>
    links.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
  );
  expect(panel.length).toBeGreaterThan(15);
  return [...(await made()), ...panel, ...formsBelow];
}

async function open(page: Page, path: string) {
  await page.goto(path);
  await loaded(page);
}

async function loaded(page: Page) {
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached();
  await expect(page.locator('[aria-busy="true"], [data-loading]')).toHaveCount(0);
}

/** go walks to a page of the panel within the app, as its menu does; other pages are loaded. */
async function go(page: Page, path: string) {
  if (!path.startsWith('/admin')) return open(page, path);
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
    return [
      ...(document.documentElement.scrollWidth > innerWidth ? ['the page itself'] : []),
      ...[...document.querySelectorAll('button, a, input, select, textarea, h1, h2, label')]
        .filter((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          return (
            width > 1 && right > 0 && (right > innerWidth + 1 || left < -1) && !scrolls(element.parentElement)
          );
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    ];
  });

for (const language of ['en-US', 'zh-CN'] satisfies Language[])
  test(`no page is cut in a window of 320 px, nor at 200 % (${language})`, async ({ visit }) => {
    test.setTimeout(8 * 60_000);
    const page = await visit({ admin: true, language });
    for (const path of await everyPage(page))
      for (const [width, height] of [
        [320, 640],
        [640, 360],
      ] as const) {
        await page.setViewportSize({ width, height });
        if (width === 320) await go(page, path);
        expect.soft(await cut(page), `${path} at ${width} px`).toEqual([]);
      }
  });

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
