import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { createFile, createPaste } from './api';
import { expect, openContext, test } from './fixtures';
import { png, wav } from './media';
import { watch } from './watch';
import { wordsOf, type Language, type Words } from './words';

// One load of every screen in each language, theme and size: no accessibility
// violation, no error, nothing that jumps or overflows. The pictures lie in
// test-results/screens afterwards, for people to look at.

const markdown = `# Harbour log / 港口日志

A quiet morning. The *pilot boat* left at **06:40** with [two passengers](https://example.org/).
清晨风平浪静,引航船准时离港。

## Ships

| Ship | Berth | Draught |
| --- | --- | ---: |
| Aurora | 4 | 7.2 m |
| 长江号 | 11 | 9.8 m |

- [x] customs cleared
- [ ] water taken

### Notes

> The tide turns at noon.

\`\`\`go
func main() {
	fmt.Println("ahoy") // a comment
}
\`\`\`
`;

interface Screen {
  name: string;
  path: string;
  admin?: boolean;
  stored?: Record<string, string>;
  /** ready waits for, or leads to, what the picture shows. */
  ready: (page: Page, say: Words) => Promise<void>;
}

const heading = (page: Page, name: string) =>
  expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();

const screens: Screen[] = [
  {
    name: 'home-out',
    path: '/',
    async ready(page, say) {
      await heading(page, say('home.heading'));
      await expect(page.getByText(say('common.gate.signedOut.text'))).toBeVisible();
    },
  },
  {
    name: 'home-in',
    path: '/',
    admin: true,
    async ready(page, say) {
      await heading(page, say('home.heading'));
      await expect(page.getByRole('button', { name: say('home.share.submit'), exact: true })).toBeEnabled();
    },
  },
  {
    name: 'home-markdown',
    path: '/',
    admin: true,
    stored: { 'pp.editorMode': 'markdown', 'pp.editorView': 'split' },
    async ready(page, say) {
      const editor = page.locator('.cm-content');
      await editor.fill(markdown);
      await expect(
        page.getByLabel(say('home.editor.preview')).getByRole('heading', { level: 2, name: 'Ships' }),
      ).toBeVisible();
    },
  },
  {
    name: 'home-shared',
    path: '/',
    admin: true,
    async ready(page, say) {
      await page.getByLabel(say('home.editor.label')).fill('06:40 pilot boat left');
      await page.getByLabel(say('share.form.maxViews')).fill('5');
      await page.getByRole('button', { name: say('home.share.submit'), exact: true }).click();
      await expect(page.getByLabel(say('share.box.link'), { exact: true })).toBeVisible();
    },
  },
  {
    name: 'upload-out',
    path: '/upload',
    async ready(page, say) {
      await expect(page.getByText(say('common.gate.signedOut.upload'))).toBeVisible();
    },
  },
  {
    name: 'upload-in',
    path: '/upload',
    admin: true,
    async ready(page, say) {
      await page
        .getByTestId('files')
        .setInputFiles({ name: '港口 2026.png', mimeType: 'image/png', buffer: png(8, 8) });
      await expect(page.getByText('港口 2026.png')).toHaveCount(0);
      await expect(page.getByLabel(say('file.list.name', { name: '港口 2026.png' }))).toBeVisible();
      await expect(page.getByRole('table')).toBeVisible();
    },
  },
  {
    name: 'paste-shown',
    path: '/paste/screens-md',
    async ready(page) {
      await heading(page, 'Harbour log');
      await expect(page.getByRole('heading', { name: 'Ships' })).toBeVisible();
    },
  },
  {
    name: 'paste-code',
    path: '/paste/screens-code',
    async ready(page, say) {
      await heading(page, 'screens-code');
      await page.getByText(say('pasteView.modes.code'), { exact: true }).click();
      await expect(page.getByText('fmt.Println', { exact: false }).first()).toBeVisible();
    },
  },
  {
    name: 'paste-password',
    path: '/paste/screens-secret',
    ready: (page, say) => heading(page, say('shareGate.password.title')),
  },
  {
    name: 'paste-confirm',
    path: '/paste/screens-once',
    ready: (page, say) => heading(page, say('shareGate.lastView.title')),
  },
  {
    name: 'paste-gone',
    path: '/paste/screens-gone',
    ready: (page, say) => heading(page, say('shareGate.gone.title')),
  },
  {
    name: 'paste-missing',
    path: '/paste/screens-never-made',
    ready: (page, say) => heading(page, say('shareGate.missing.title')),
  },
  {
    name: 'file-shown',
    path: '/file/screens-png',
    async ready(page) {
      await heading(page, 'pier 码头.png');
      await expect(page.getByRole('img', { name: 'pier 码头.png' })).toBeVisible();
    },
  },
  {
    name: 'file-audio',
    path: '/file/screens-wav',
    admin: true,
    async ready(page) {
      await heading(page, 'horn.wav');
      await expect(page.locator('audio')).toBeVisible();
    },
  },
  {
    name: 'file-text',
    path: '/file/screens-text',
    async ready(page, say) {
      await heading(page, 'log.md');
      await expect(page.getByLabel(say('preview.text.encoding'))).toBeVisible();
    },
  },
  {
    name: 'file-password',
    path: '/file/screens-locked',
    ready: (page, say) => heading(page, say('shareGate.password.title')),
  },
  {
    name: 'sign-in',
    path: '/admin',
    async ready(page, say) {
      await heading(page, say('login.title'));
      await expect(page.getByLabel(say('login.username'))).toBeVisible();
    },
  },
  {
    name: 'signed-in',
    path: '/admin',
    admin: true,
    ready: (page, say) => heading(page, say('login.adminTitle')),
  },
  {
    name: 'not-found',
    path: '/no/such/page',
    async ready(page, say) {
      await heading(page, say('app.notFound.title'));
      await page.getByRole('button', { name: say('app.notFound.stay') }).click();
    },
  },
];

test.beforeAll(async () => {
  // The workers share the program; whoever comes second finds the shares made.
  const made = async (slug: string, make: () => Promise<unknown>) => {
    await make().catch((error: unknown) => {
      if (!String(error).includes(' 409 ')) throw error;
    });
    return slug;
  };
  const paste = (slug: string, fields: Omit<Parameters<typeof createPaste>[0], 'slug'>) =>
    made(slug, () => createPaste({ slug, ...fields }));
  const file = (name: string, bytes: Buffer<ArrayBuffer>, fields: Parameters<typeof createFile>[2]) =>
    made(fields.slug, () => createFile(name, bytes, fields));
  await paste('screens-md', { content: markdown, remark: 'Harbour log', syntax: 'markdown' });
  await paste('screens-code', { content: markdown.slice(markdown.indexOf('func')), syntax: 'go' });
  await paste('screens-secret', { content: 'x', password: 'anchor', max_views: 3 });
  await paste('screens-once', { content: 'x', max_views: 1 });
  await paste('screens-gone', { content: 'x', max_views: 1 });
  await fetch(`${process.env.PASTEPORT_E2E_URL}/api/paste/screens-gone`);
  await file('pier 码头.png', png(640, 360), { slug: 'screens-png', remark: 'The pier at noon' });
  await file('horn.wav', wav(200_044), { slug: 'screens-wav' });
  await file('log.md', Buffer.from(markdown), { slug: 'screens-text' });
  await file('plans.pdf', Buffer.from('%PDF-1.4'), { slug: 'screens-locked', password: 'anchor' });
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

for (const language of ['zh-CN', 'en-US'] as const)
  for (const theme of ['light', 'dark'] as const)
    for (const size of ['phone', 'desktop'] as const)
      test(`every screen is sound: ${language}, ${theme}, ${size}`, async ({ browser }) => {
        test.setTimeout(150_000);
        const say = await wordsOf(language);
        const open = (admin: boolean) =>
          openContext(browser, { language, admin, phone: size === 'phone', stored: { themeMode: theme } });
        const contexts = { out: await open(false), in: await open(true) };
        for (const screen of screens) {
          const page = await contexts[screen.admin ? 'in' : 'out'].newPage();
          const problems = watch(page);
          await page.addInitScript(layoutShifts);
          if (screen.stored) await page.addInitScript(remember, screen.stored);
          await page.goto(screen.path);
          await screen.ready(page, say);
          const found = {
            lang: await page.locator('html').getAttribute('lang'),
            theme: await page.locator('html').getAttribute('data-theme'),
            violations: await violations(page),
            problems,
            overflow: await page.evaluate(
              () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
            ),
          };
          const shift = await page.evaluate(() => Reflect.get(window, 'ppShift') as number);
          expect.soft(found, screen.name).toEqual({
            lang: language,
            theme,
            violations: [],
            problems: [],
            overflow: 0,
          });
          expect.soft(shift, `${screen.name}: cumulative layout shift`).toBeLessThanOrEqual(0.05);
          await page.screenshot({
            path: `test-results/screens/${screen.name}.${short(language)}.${theme}.${size}.png`,
            fullPage: true,
          });
          await page.evaluate(() => sessionStorage.clear());
          if (screen.stored) await page.evaluate(forget, Object.keys(screen.stored));
          await page.close();
        }
        await Promise.all(Object.values(contexts).map((context) => context.close()));
      });

const short = (language: Language) => language.slice(0, 2);

function remember(stored: Record<string, string>): void {
  for (const [name, value] of Object.entries(stored)) localStorage.setItem(name, value);
}

/** Takes back what a screen has put into local storage, drafts included, so that the next one starts clean. */
function forget(names: string[]): void {
  for (const name of names) localStorage.removeItem(name);
}

/** layoutShifts sums in the page what moves without the visitor's doing. */
function layoutShifts(): void {
  Reflect.set(window, 'ppShift', 0);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (Reflect.get(entry, 'hadRecentInput')) continue;
      Reflect.set(window, 'ppShift', Reflect.get(window, 'ppShift') + Reflect.get(entry, 'value'));
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** violations runs axe in the page. The CSP refuses a script tag, so the debugger brings it in. */
async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then((found) => JSON.stringify(
      found.violations.flatMap((rule) => rule.nodes.map((node) => rule.id + ': ' + node.html.slice(0, 160) + ' ' + node.failureSummary)),
    ))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.exception?.description}`);
  return JSON.parse(result.value as string) as string[];
}
