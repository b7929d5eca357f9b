import type { Page } from '@playwright/test';
import { createFile, createPaste, freshSlug, putFile } from './api';
import { expect, test } from './fixtures';
import { png } from './media';

// Who opens a link wants to read: how far down the content begins, in CSS pixels.

const windows = [
  { width: 390, height: 844, paste: 220 },
  { width: 1280, height: 720, paste: 180 },
];
const header = 64;

const texts = [
  { content: `# Log\n\n${'A quiet morning.\n\n'.repeat(60)}## Tides\n\n## Ships\n`, syntax: 'markdown' },
  { content: 'high water at noon\n'.repeat(200), syntax: 'text' },
  { content: 'func main() {\n\tprintln("ahoy")\n}\n'.repeat(80), syntax: 'go' },
];

/** topOf is where an element begins in the window. */
const topOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => element.getBoundingClientRect().top);

for (const { width, height, paste } of windows)
  test(`a text begins within ${paste} px of a window of ${width} × ${height}, and what can be done stays in sight`, async ({
    visit,
  }) => {
    for (const text of texts) {
      const { slug } = await createPaste({
        ...text,
        slug: freshSlug(),
        remark: 'A log of the harbour '.repeat(6),
      });
      const page = await visit();
      await page.setViewportSize({ width, height });
      await page.goto(`/paste/${slug}`);
      const content = text.syntax === 'markdown' ? 'article' : '[role=region]';
      await expect(page.locator(content)).toBeVisible();
      expect(await topOf(page, content)).toBeLessThanOrEqual(paste);
      const export_ = page.getByRole('button', { name: 'Export' });
      await expect(export_).toBeVisible();
      expect(await topOf(page, content)).toBeLessThanOrEqual(paste);

      await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
      for (const button of [page.getByRole('button', { name: 'Copy text' }), export_])
        await expect(button).toBeInViewport({ ratio: 1 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  });

test('a wide window shows the text in a centred column, and paper shows it alone', async ({ visit }) => {
  const { slug } = await createPaste({ content: 'High water at noon. '.repeat(60), syntax: 'markdown' });
  const page = await visit();
  await page.goto(`/paste/${slug}`);
  await expect(page.getByRole('button', { name: 'Copy text' })).toBeVisible();
  const box = await page.locator('article').boundingBox();
  expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - 640)).toBeLessThanOrEqual(8);
  expect(box?.width).toBeLessThanOrEqual(760);

  // Beside an outline the column is as wide for short lines.
  const short = await createPaste({ content: '# Log\n\n## Tides\n\n## Ships\n', syntax: 'markdown' });
  await page.goto(`/paste/${short.slug}`);
  await expect(page.getByRole('button', { name: 'Copy text' })).toBeVisible();
  expect((await page.locator('article').boundingBox())?.width).toBe(box?.width);
  await page.goto(`/paste/${slug}`);

  await page.emulateMedia({ media: 'print' });
  await expect(page.getByText('High water at noon.')).toBeVisible();
  await expect(page.getByRole('banner')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Copy text' })).toBeHidden();
});

for (const { width, height } of windows)
  test(`a file's preview begins within 96 px below the header of a window of ${width} × ${height}`, async ({
    visit,
  }) => {
    const slug = freshSlug();
    await createFile('a very long name of a picture from the northern pier.png', png(640, 480), { slug });
    const page = await visit({ admin: true });
    await page.setViewportSize({ width, height });
    await page.goto(`/file/${slug}`);
    await expect(page.getByRole('img', { name: /northern pier/ })).toBeVisible();
    expect((await topOf(page, 'section[aria-label=Preview]')) - header).toBeLessThanOrEqual(96);

    // A text has its forms and its tools in one bar, as a shared text has.
    const text = freshSlug();
    const words = new TextEncoder().encode('# Log\n\nA quiet morning.\n');
    await createFile('a very long name of a log from the northern pier.md', words, { slug: text });
    await page.goto(`/file/${text}`);
    await expect(page.getByText('A quiet morning.')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: /northern pier/ })).toBeVisible();
    expect((await topOf(page, 'article')) - header).toBeLessThanOrEqual(96);
    for (const name of ['Copy text', 'More'])
      await expect(page.getByRole('button', { name })).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);

    // A film that is there only by name: its player has its place all the same.
    const film = freshSlug();
    await createFile('tide.mp4', new Uint8Array(64), { slug: film });
    await page.route('**/api/file-view/**', () => undefined);
    await page.goto(`/file/${film}`);
    const player = page.locator('video');
    await expect(player).toBeVisible();
    const { bottom } = await player.evaluate((element) => element.getBoundingClientRect());
    expect(bottom).toBeLessThanOrEqual(height);
  });

for (const { width, height } of windows)
  test(`in Files a preview begins within 96 px below the header of a window of ${width} × ${height}, and the next file keeps the focus`, async ({
    visit,
  }) => {
    const folder = `/local/${freshSlug()}`;
    const bytes = (text: string) => new TextEncoder().encode(text);
    await putFile(`${folder}/a log of the northern pier.md`, bytes(texts[0]?.content ?? ''));
    await putFile(`${folder}/berths.csv`, bytes('ship,berth\nAurora,4\n'));
    await putFile(`${folder}/crane.png`, png(640, 480));
    const page = await visit({ admin: true });
    await page.setViewportSize({ width, height });
    await page.goto(`/mount-explorer${folder}?preview=a log of the northern pier.md`);
    const next = page.getByRole('button', { name: 'Next file' });
    for (const content of ['article article', '[role=region] table', 'img[alt="crane.png"]']) {
      await expect(page.locator(content)).toBeVisible();
      expect((await topOf(page, content)) - header, content).toBeLessThanOrEqual(96);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await next.press('Enter');
      await expect(next).toBeFocused();
    }
    // At the end it stays where it is.
    await expect(next).toHaveAttribute('aria-disabled', 'true');
    await expect(page.locator('img[alt="crane.png"]')).toBeVisible();
  });

for (const { width, height } of windows)
  test(`a text is read before the app is there, which takes it over as it stands, in a window of ${width} × ${height}`, async ({
    visit,
  }) => {
    const content = `# Log\n\n${'A quiet morning.\n\n'.repeat(60)}## Tides\n\n\`\`\`js\nconst ships = 3;\n\`\`\`\n\n## Ships\n\n![Pier](https://pictures.invalid/pier.png)\n`;
    const { slug } = await createPaste({
      content,
      slug: freshSlug(),
      syntax: 'markdown',
      remark: 'Harbour log',
    });
    const page = await visit();
    await page.route('https://pictures.invalid/**', (route) =>
      route.fulfill({ contentType: 'image/png', body: Buffer.from(png(64, 64)) }),
    );
    await page.setViewportSize({ width, height });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(/\/core-[^/]*\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    let reads = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === `/api/paste/${slug}`) reads++;
    });
    await page.goto(`/paste/${slug}`, { waitUntil: 'commit' });
    const first = page.getByText('A quiet morning.').first();
    await expect(first).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'Harbour log' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Copy text' })).toHaveCount(0);
    await page.evaluate(() => scrollTo(0, 900));
    const node = await first.elementHandle();
    const before = await node?.boundingBox();

    letGo();
    await expect(page.getByRole('button', { name: 'Copy text' })).toBeVisible();
    // The same nodes, where they were.
    expect(await node?.evaluate((element) => element.isConnected)).toBe(true);
    expect(await node?.boundingBox()).toEqual(before);
    expect(reads).toBe(1);
    // What was drawn ahead answers its reader now.
    await page.getByRole('button', { name: 'Enlarge image Pier' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
  });

test('Arabic and Hebrew run from the right, code among them from the left', async ({ visit }) => {
  const content =
    '# مرحبا بالعالم\n\nسطر واحد.\n\n- שלום\n- עולם\n\n```go\nfunc main() {}\n```\n\nLast line.\n';
  const { slug } = await createPaste({ content, syntax: 'markdown', remark: 'سجل الميناء' });
  const page = await visit();
  await page.goto(`/paste/${slug}`);
  await expect(page.getByText('سطر واحد.')).toBeVisible();
  for (const [selector, way] of [
    ['h1', 'rtl'],
    ['article p', 'rtl'],
    ['article ul', 'rtl'],
    ['article pre', 'ltr'],
    ['article p:has-text("Last line.")', 'ltr'],
  ] as const)
    await expect(page.locator(selector).first()).toHaveCSS('direction', way);

  // Of a text as it is each line runs its own way.
  await page.getByRole('radio', { name: 'Text', exact: true }).check();
  const sideOf = (text: string) =>
    page.locator('[role=region] pre').evaluate((pre, words) => {
      const node = pre.firstChild;
      const at = node?.textContent?.indexOf(words) ?? -1;
      const range = document.createRange();
      if (node) range.setStart(node, at);
      if (node) range.setEnd(node, at + words.length);
      const box = pre.getBoundingClientRect();
      return range.getBoundingClientRect().left > box.left + box.width / 2 ? 'right' : 'left';
    }, text);
  await expect.poll(() => sideOf('سطر واحد')).toBe('right');
  await expect.poll(() => sideOf('func main')).toBe('left');

  // So they do while they are written, in both kinds of field.
  const writer = await visit({ stored: { 'pp.editorMode': 'split' } });
  await writer.goto('/');
  await writer.locator('.cm-content').fill('שלום\nhello');
  await expect(writer.locator('.cm-line').first()).toHaveCSS('direction', 'rtl');
  await expect(writer.locator('.cm-line').last()).toHaveCSS('direction', 'ltr');
});
