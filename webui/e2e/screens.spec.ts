import type { Page } from '@playwright/test';
import { createFile, createPaste, serverUrl } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { looks, picture } from './looks';
import { png, wav } from './media';
import { wordsOf, type Words } from './words';

// One load of every screen in each language, theme and size, each two of them together: no accessibility
// violation, no error, nothing that jumps or overflows.

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
  /** ready waits until the page has loaded. */
  ready: (page: Page, say: Words) => Promise<void>;
  /** act does what leads from the loaded page to what the picture shows; the profile is not used again. */
  act?: (page: Page, say: Words) => Promise<void>;
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
    ready: (page, say) => heading(page, say('home.heading')),
    async act(page, say) {
      await page.getByRole('radio', { name: say('home.ways.split') }).check();
      await page.locator('.cm-content').fill(markdown);
      await expect(
        page.getByLabel(say('home.editor.preview')).getByRole('heading', { level: 2, name: 'Ships' }),
      ).toBeVisible();
    },
  },
  {
    name: 'home-shared',
    path: '/',
    admin: true,
    ready: (page, say) => heading(page, say('home.heading')),
    async act(page, say) {
      await page.getByLabel(say('home.editor.label')).fill('06:40 pilot boat left');
      await page.getByRole('button', { name: say('home.options.unlimited') }).click();
      await page.getByLabel(say('share.form.maxViews')).fill('5');
      await page.getByRole('button', { name: say('home.share.submit'), exact: true }).click();
      await expect(page.getByLabel(say('shareBox.link'), { exact: true })).toBeVisible();
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
      await heading(page, say('file.heading'));
      await expect(page.getByRole('table')).toBeVisible();
    },
    async act(page, say) {
      const name = '港口 2026.png';
      await page.getByTestId('files').setInputFiles({ name, mimeType: 'image/png', buffer: png(8, 8) });
      await expect(page.getByLabel(say('file.list.name', { name }))).toBeVisible();
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
      await expect(page.getByRole('radio', { name: say('pasteView.modes.code') })).toBeChecked();
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
      await expect(page.getByRole('heading', { name: 'Ships' })).toBeVisible();
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
    ready: (page, say) => heading(page, say('admin.pages.dashboard')),
  },
  {
    name: 'not-found',
    path: '/no/such/page',
    ready: (page, say) => heading(page, say('notFound.title')),
    async act(page, say) {
      await page.getByRole('button', { name: say('notFound.stay') }).click();
    },
  },
];

test.beforeAll(async () => {
  await createPaste({ slug: 'screens-md', content: markdown, remark: 'Harbour log', syntax: 'markdown' });
  await createPaste({
    slug: 'screens-code',
    content: markdown.slice(markdown.indexOf('func')),
    syntax: 'go',
  });
  await createPaste({ slug: 'screens-secret', content: 'x', password: 'anchor', maxViews: 3 });
  await createPaste({ slug: 'screens-once', content: 'x', maxViews: 1 });
  await createFile('pier 码头.png', png(640, 360), { slug: 'screens-png', remark: 'The pier at noon' });
  await createFile('horn.wav', wav(200_044), { slug: 'screens-wav' });
  await createFile('log.md', Buffer.from(markdown), { slug: 'screens-text' });
  await createFile('plans.pdf', Buffer.from('%PDF-1.4'), { slug: 'screens-locked', password: 'anchor' });
  await createPaste({ slug: 'screens-gone', content: 'x', maxViews: 1 });
  await fetch(`${serverUrl()}/api/paste/screens-gone`);
});

test.describe.configure({ timeout: 8 * 60_000 });

for (const look of looks)
  test(`every screen is sound: ${look.name}`, async ({ visit }) => {
    const { language, theme, phone } = look;
    const say = await wordsOf(language);
    const open = async (admin: boolean) => {
      const page = await visit({ language, admin, phone, stored: { themeMode: theme } });
      await page.addInitScript(noteLayoutShifts);
      return page;
    };
    // A page that has loaded a screen loads the next one for half.
    const shared = { out: await open(false), in: await open(true) };
    for (const screen of screens) {
      const admin = screen.admin ?? false;
      const own = screen.act && (await open(admin));
      const page = own ?? shared[admin ? 'in' : 'out'];
      await page.goto(screen.path);
      await screen.ready(page, say);
      const shifts = await page.evaluate(() => Reflect.get(window, 'ppShifts') as Shift[]);
      await screen.act?.(page, say);
      const found = {
        lang: await page.locator('html').getAttribute('lang'),
        theme: await page.locator('html').getAttribute('data-theme'),
        violations: await violations(page),
        overflow: await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      };
      expect.soft(found, screen.name).toEqual({ lang: language, theme, violations: [], overflow: 0 });
      expect
        .soft(
          shifts.reduce((sum, { value }) => sum + value, 0),
          `${screen.name} moves: ${JSON.stringify(shifts)}`,
        )
        .toBeLessThanOrEqual(0.05);
      await picture(page, screen.name, look);
      await own?.close();
    }
  });

interface Shift {
  /** value is the share of the window that moved, times how far. */
  value: number;
  /** what moved. */
  nodes: string[];
}

/** noteLayoutShifts notes in the page what moves without the visitor's doing. */
function noteLayoutShifts(): void {
  interface LayoutShift extends PerformanceEntry {
    value: number;
    hadRecentInput: boolean;
    sources: { node: Node | null }[];
  }
  const shifts: Shift[] = [];
  Reflect.set(window, 'ppShifts', shifts);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as LayoutShift[]) {
      if (entry.hadRecentInput) continue;
      const nodes = entry.sources.map(({ node }) =>
        node instanceof Element ? node.outerHTML.slice(0, 90) : String(node?.nodeName),
      );
      shifts.push({ value: entry.value, nodes });
    }
  }).observe({ type: 'layout-shift', buffered: true });
}
