import { readFileSync, writeFileSync } from 'node:fs';
import { createFile, createPaste, freshSlug } from './api';
import { violations } from './axe';
import { expect } from './fixtures';
import { test } from './line';
import { png } from './media';

const text = `# Harbour log

Energy is $E = mc^2$, the price 5$ or 6$.

$$\\int_0^1 x\\,dx = \\frac{1}{2}$$

- [ ] paint the pier

\`\`\`mermaid
flowchart LR
  A[Start 开始] --> B[Sail]
\`\`\`

\`\`\`mermaid
flowchart LR
  A[oops --> B
\`\`\`

\`\`\`mermaid
sankey-beta
Harbour,Sea,3
Harbour,Shore,2
\`\`\`

Broken: $\\frac{1$.
`;

test('a paste shows formulas and diagrams, and what is wrong with broken ones', async ({ visit }) => {
  const { slug } = await createPaste({ content: text, syntax: 'markdown', remark: 'Harbour' });
  const page = await visit({ stored: { themeMode: 'light' } });
  await page.goto(`/paste/${slug}`);
  await expect(page.locator('.katex')).toHaveCount(2);
  const diagram = page.getByRole('img', { name: 'Diagram (flowchart)' });
  await expect(diagram).toBeVisible({ timeout: 30_000 });
  expect(
    await diagram.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBeGreaterThan(100);
  // A kind of diagram that few people use.
  await expect(page.getByRole('img', { name: 'Diagram (sankey-beta)' })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText(/Couldn’t draw this diagram/)).toBeVisible();
  await expect(page.getByText('\\frac{1', { exact: true })).toBeVisible();
  await expect(page.getByText('the price 5$ or 6$')).toBeVisible();
  expect(await violations(page)).toEqual([]);

  const light = await diagram.getAttribute('src');
  await page.getByRole('button', { name: /^Theme/ }).click();
  await expect(diagram).not.toHaveAttribute('src', light ?? '', { timeout: 30_000 });

  for (const [item, file] of [
    ['Export as Word', /^Harbour-.*\.docx$/],
    ['Export as PNG, dark', /^Harbour-.*\.png$/],
    ['Export as HTML', /^Harbour-.*\.html$/],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click();
    const waiting = page.waitForEvent('download', { timeout: 60_000 });
    await page.getByRole('menuitem', { name: item }).click();
    const download = await waiting;
    expect(download.suggestedFilename()).toMatch(file);
    const bytes = readFileSync(await download.path());
    if (item.includes('PNG')) {
      expect(bytes.subarray(1, 4).toString()).toBe('PNG');
      expect(bytes.readUInt32BE(16)).toBe(1600);
    }
    if (item.includes('Word')) expect(bytes.subarray(0, 2).toString()).toBe('PK');
    if (item.includes('HTML')) expect(bytes.toString()).toMatch(/<math[\s\S]*data:image\/svg\+xml/);
  }
});

test('a text with a picture is drawn also after it was saved as a document', async ({ visit }) => {
  const picture = freshSlug();
  await createFile('pier.png', png(320, 200), { slug: picture });
  const { slug } = await createPaste({
    content: `# Pier\n\n${'A quiet morning.\n\n'.repeat(40)}![the pier](/api/file-view/${picture})\n`,
    syntax: 'markdown',
  });
  const page = await visit();
  await page.goto(`/paste/${slug}`);
  for (const item of ['Export as Word', 'Export as PNG, dark', 'Export as PNG, light']) {
    await page.getByRole('button', { name: 'Export' }).click();
    const waiting = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: item }).click();
    await waiting;
  }
});

test('the editor hides marks, attaches files, finds headings and is shared as what it is', async ({
  visit,
}) => {
  const page = await visit({
    admin: true,
    stored: { 'pp.editorMode': 'markdown', 'pp.editorView': 'source' },
  });
  await page.goto('/');
  const editor = page.locator('.cm-content');
  await editor.fill('# One\n\n**bold** text\n\n## Two\n\nend');
  const bar = page.getByRole('toolbar', { name: 'Formatting' });

  await page.getByRole('radio', { name: 'Instant' }).check();
  await expect(editor).toContainText('bold text');
  await expect(editor).not.toContainText('**');
  await bar.getByRole('button', { name: 'Outline' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Two' }).click();
  // The marks of a heading are shown while the caret is in it.
  await expect(editor).toContainText('## Two');
  await page.keyboard.press('End');
  await page.keyboard.type(' more');
  await expect(editor).toContainText('## Two more');

  await bar.getByRole('button', { name: 'Emoji' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: '🚀' }).click();
  await expect(editor).toContainText('Two more🚀');
  await bar.getByRole('button', { name: 'Help' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await bar.getByRole('button', { name: 'Full screen' }).click();
  await expect(page.locator('section', { has: bar })).toHaveCSS('position', 'fixed');
  await bar.getByRole('button', { name: 'Exit full screen' }).click();

  const choosing = page.waitForEvent('filechooser');
  await bar.getByRole('button', { name: 'Attach a file' }).click();
  await (
    await choosing
  ).setFiles({ name: 'note.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('abc') });
  await expect(editor).toContainText('note.bin');
  // The notice of the upload would be under the pointer, which keeps it there.
  await page.mouse.move(0, 0);
  await expect(page.getByRole('region', { name: 'Notifications' }).getByRole('status')).toHaveCount(0);
  await page.getByRole('radio', { name: 'Source' }).check();
  await expect(editor).toContainText(/\[note\.bin\]\(http.*\/file\//);

  // An input method writes its text once.
  await editor.press('Control+End');
  const session = await page.context().newCDPSession(page);
  await session.send('Input.imeSetComposition', { text: 'ni hao', selectionStart: 6, selectionEnd: 6 });
  await session.send('Input.insertText', { text: '你好' });
  await expect(editor).toContainText('end你好');
  await session.detach();

  await page.getByRole('radio', { name: 'Text', exact: true }).check();
  await expect(page.locator('textarea')).toHaveValue(/^# One\n\n\*\*bold\*\* text[\s\S]*end你好$/);
  await page.getByRole('button', { name: 'Syntax' }).click();
  await page.getByLabel('Syntax').selectOption('JSON');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('link', { name: 'Open' }).click();
  await expect(page.getByText('JSON', { exact: true })).toBeVisible();
});

test('attachments on their way stand on the upload page’s list, none of them as unfinished, and are paused and given up there', async ({
  visit,
  line,
  origin,
}, info) => {
  const page = await visit({
    origin,
    admin: true,
    stored: { 'pp.editorMode': 'markdown', 'pp.editorView': 'source' },
  });
  // Of four parts three are sent at once, and never arrive.
  line.through = 0;
  await page.goto('/');
  const attach = async (name: string) => {
    const path = info.outputPath(name);
    writeFileSync(path, Buffer.alloc(20 << 20, name));
    const before = line.parts;
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach a file' }).click();
    await (await choosing).setFiles(path);
    await expect.poll(() => line.parts, { timeout: 90_000 }).toBe(before + 3);
  };
  const notices = page.getByRole('region', { name: 'Notifications' });
  await attach('paused.bin');
  await notices.getByRole('button', { name: 'Pause' }).click();
  await expect(notices).toContainText('“paused.bin” is paused');
  await attach('moving.bin');
  await page.getByRole('banner').getByRole('link', { name: 'Upload', exact: true }).click();
  const list = page.getByRole('region', { name: 'Files', exact: true }).getByRole('listitem');
  await expect(list).toHaveText([/paused\.bin/, /moving\.bin/]);
  await expect(page.getByRole('region', { name: 'Unfinished uploads' })).toHaveCount(0);
  await list.getByRole('button', { name: 'Pause moving.bin' }).click();
  await expect(notices).toContainText('“moving.bin” is paused');
  await list.getByRole('button', { name: 'Cancel paused.bin' }).click();
  await notices
    .getByRole('status')
    .filter({ hasText: '“moving.bin” is paused' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await expect(list).toHaveCount(0);
  await expect(notices.getByRole('status')).toHaveCount(0);
});

test('an attachment that a lost network has cut goes on by itself, and its mark stands in the text', async ({
  visit,
}) => {
  const page = await visit({
    admin: true,
    stored: { 'pp.editorMode': 'markdown', 'pp.editorView': 'source' },
    expected: /net::ERR_(FAILED|INTERNET_DISCONNECTED)/,
  });
  await page.goto('/');
  await page.route('**/api/**', (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.abort(),
  );
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach a file' }).click();
  await (await choosing).setFiles({ name: 'pier.png', mimeType: 'image/png', buffer: png(40, 30) });
  await expect(page.getByRole('alert').filter({ hasText: '“pier.png” couldn’t be attached' })).toBeVisible();
  await page.unrouteAll();
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await expect(page.locator('.cm-content')).toContainText('![pier.png](');
  await expect(page.getByRole('alert').filter({ hasText: 'pier.png' })).toHaveCount(0);
});

test('a site that limits shares says so, and keeps pictures of other sites away', async ({ visit }) => {
  const page = await visit({ admin: true, expected: /net::ERR_FAILED/ });
  const asked: string[] = [];
  await page.route('https://pictures.example/**', (route) => {
    asked.push(route.request().url());
    return route.abort();
  });
  // The rules stand in the page; those of the server hold for the other flows too, so they stay as they are.
  const rules = { defaultHours: 24, maxHours: 48, maxViews: 5, privacy: true };
  await page.route(/\/(paste\/.*)?$/, async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const response = await route.fetch();
    const body = (await response.text()).replace(/"rules":\{[^}]*\}/, `"rules":${JSON.stringify(rules)}`);
    return route.fulfill({ response, body });
  });
  await page.goto('/');
  await page.getByRole('button', { name: '5 views' }).click();
  await expect(page.getByLabel('Expires')).toHaveValue('day');
  await expect(page.getByLabel('Expires').getByRole('option', { name: 'Never' })).toHaveCount(0);
  await expect(page.getByText('At most 2 days on this site')).toBeVisible();
  await page
    .getByLabel('Text to share')
    .fill('# Held\n\n![a boat](https://pictures.example/boat.png)\n\n```html\n<h1>Block</h1>\n```\n');
  await page.getByLabel('View limit').fill('6');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText('Over this site’s limit')).toBeVisible();
  await page.getByLabel('View limit').fill('5');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('link', { name: 'Open', exact: true }).click();

  await page.getByRole('radio', { name: 'Preview' }).check();
  const held = page.getByRole('button', { name: /Load image from pictures\.example/ });
  await expect(held).toBeVisible();
  expect(asked).toEqual([]);
  expect(await violations(page)).toEqual([]);
  await held.click();
  await expect.poll(() => asked).toEqual(['https://pictures.example/boat.png']);

  // A block of HTML opens in a tab of its own, without this site's origin.
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const opening = page.context().waitForEvent('page');
  await page.getByRole('dialog').getByRole('button', { name: 'Open in a new tab' }).click();
  const tab = await opening;
  await expect(tab.getByRole('heading', { name: 'Block' })).toBeVisible();
  expect(await tab.evaluate(() => self.origin)).toBe('null');
});

for (const [width, height] of [
  [1280, 720],
  [390, 844],
] as const)
  test(`sharing needs no scrolling in a window of ${width} × ${height}, and its terms open in place`, async ({
    visit,
  }) => {
    for (const mode of ['plain', 'markdown']) {
      const page = await visit({ admin: true, stored: { 'pp.editorMode': mode } });
      await page.setViewportSize({ width, height });
      await page.goto('/');
      const button = page.getByRole('button', { name: 'Share', exact: true });
      await expect(page.getByRole('button', { name: 'Export' })).toBeVisible();
      await expect(button).toBeInViewport({ ratio: 1 });
      const terms = page.getByRole('group', { name: 'Share settings' });
      await expect(terms.getByRole('button', { name: 'Never expires' })).toBeInViewport({ ratio: 1 });
      await expect(page.getByLabel('Expires')).toBeHidden();

      await terms.getByRole('button', { name: 'Never expires' }).click();
      await expect(page.getByLabel('Expires')).toBeFocused();
      await page.getByLabel('Expires').selectOption('week');
      await page.getByLabel('View limit').fill('1');
      expect(await violations(page)).toEqual([]);
      await expect(terms.getByRole('button', { name: '1 view', exact: true })).toBeVisible();
      await terms.getByRole('button', { name: 'Expires in 7 days' }).click();
      await expect(page.getByLabel('Expires')).toBeHidden();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  });

test('a file that is put into the field is shared right there, under the terms that are set', async ({
  visit,
}) => {
  const page = await visit({ admin: true });
  await page.goto('/');
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (
    await choosing
  ).setFiles({ name: 'berths.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('berth 4') });
  await expect(page.getByRole('textbox', { name: 'Name of berths.bin' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Unlimited views' }).click();
  await page.getByLabel('View limit').fill('3');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const link = page.getByLabel('Link', { exact: true });
  await expect(link).toBeFocused();
  await expect(page.getByText('Can be opened 3 times.')).toBeVisible();
  await page.goto(await link.inputValue());
  await expect(page.getByRole('heading', { level: 1, name: 'berths.bin' })).toBeVisible();
});
