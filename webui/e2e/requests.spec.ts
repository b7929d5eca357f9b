import type { Page, Request } from '@playwright/test';
import { createFile, createPaste, freshSlug, putFile } from './api';
import { expect, test } from './fixtures';
import { png } from './media';

// Many small files cost a phone more than their bytes: what always loads together is one file, see scripts/chunks.mjs.
const most = 20;

const text = [
  '# Harbour log',
  'The *watch* keeps it. 港口 :ship:',
  '- [ ] ropes\n- [x] flags',
  '```js\nconst ships = 3;\n```',
  '| Ship | Load |\n| --- | --- |\n| Anna | wood |',
].join('\n\n');

const diagram = '# Tides\n\n```mermaid\ngraph TD; A-->B;\n```\n';

/** scriptsOf lists the scripts of a visit, with those that come when the page is idle. */
async function scriptsOf(page: Page, path: string): Promise<string[]> {
  const seen = new Set<string>();
  const note = (request: Request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) seen.add(pathname);
  };
  page.on('request', note);
  // The list of keys is the last that a page starts by itself.
  const last = page.waitForRequest(/\/words-/);
  await page.goto(path);
  await last;
  await page.waitForLoadState('networkidle');
  page.off('request', note);
  return [...seen];
}

test(`a page asks for at most ${most} scripts`, async ({ visit }) => {
  test.setTimeout(8 * 60_000);
  const slug = freshSlug();
  await createPaste({ content: text, slug, syntax: 'markdown' });
  await createPaste({ content: 'plain', slug: `${slug}-plain`, syntax: 'plaintext' });
  await createPaste({ content: diagram, slug: `${slug}-diagram`, syntax: 'markdown' });
  await createFile('log.txt', new Uint8Array([65]), { slug: `${slug}-text` });
  await createFile('log.js', new TextEncoder().encode('const ships = 3;'), { slug: `${slug}-code` });
  await createFile('log.md', new TextEncoder().encode(text), { slug: `${slug}-markdown` });
  await createFile('harbour.png', new Uint8Array(png(64, 64)), { slug });
  await putFile(`/local/${slug}/a.txt`, new Uint8Array([65]));
  await putFile(
    `/local/${slug}/log.md`,
    new TextEncoder().encode('# Harbour log\n\n## Ships\n\nThe *watch* keeps it.'),
  );
  await putFile(`/local/${slug}-diagram/README.md`, new TextEncoder().encode(diagram));
  const stored = { 'pp.editorMode': 'markdown' };
  const [inside, outside] = [await visit({ admin: true, stored }), await visit({ stored })];
  // What a page has in its cache it asks for all the same, as on a first visit.
  for (const page of [inside, outside]) {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  }
  for (const [admin, path] of [
    [false, '/'],
    [true, '/'],
    [false, `/paste/${slug}`],
    [true, `/paste/${slug}`],
    [false, `/paste/${slug}-plain`],
    [false, `/file/${slug}`],
    [false, `/paste/${slug}-diagram`],
    [false, `/file/${slug}-text`],
    [false, `/file/${slug}-code`],
    [false, `/file/${slug}-markdown`],
    [true, '/upload'],
    [true, `/mount-explorer/local/${slug}`],
    [true, `/mount-explorer/local/${slug}/log.md`],
    [true, `/mount-explorer/local/${slug}-diagram`],
    [false, '/admin'],
    [true, '/admin'],
    [true, '/admin/text-management'],
    [true, '/admin/mount-management'],
    [true, '/admin/policies'],
    [true, '/admin/file-management'],
    [true, '/admin/storage-config'],
    [true, '/admin/key-management'],
    [true, '/admin/account'],
    [true, '/admin/settings/global'],
    [true, '/admin/settings/preview'],
    [true, '/admin/settings/site'],
    [true, '/admin/shares'],
    [true, '/admin/tasks'],
    [true, '/admin/audit'],
    [true, '/admin/backup'],
  ] as const) {
    const asked = await scriptsOf(admin ? inside : outside, path);
    expect.soft(asked.length, `${path}: ${asked.join(' ')}`).toBeLessThanOrEqual(most);
    // Else a page that does not start would pass.
    expect.soft(asked.length, path).toBeGreaterThan(most / 2);
  }
});
