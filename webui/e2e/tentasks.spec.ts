import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { adminPassword, startProgram, type Program } from './program';

// Ten tasks from a browser that has never been here to the end, in presses and fields. What the predecessor needs was
// counted in its sources of August 2025 by the same rules; the table stands in docs/visual-language.md.

/** there are the presses that the predecessor needs; what it cannot do at all has none. */
const there = {
  text: 8,
  files: 11,
  phone: 2,
  find: 8,
  key: 11,
  bucket: 12,
  visitors: Infinity,
  stop: 12,
  rule: Infinity,
  restore: 7,
};
type Task = keyof typeof there;

/** here are the presses that each task may take. */
const here: Record<Task, number> = {
  text: 5,
  files: 9,
  phone: 1,
  find: 6,
  key: 10,
  bucket: 10,
  visitors: 5,
  stop: 7,
  rule: 8,
  restore: 6,
};

// A program of its own: the last task puts its database back.
let program: Program;
let token = '';
test.beforeAll(async () => {
  program = await startProgram();
  ({ token } = await call<{ token: string }>('/admin/login', { username: 'admin', password: adminPassword }));
});
test.afterAll(() => program.stop());

async function ask(path: string, body: unknown, authorization = `Bearer ${token}`): Promise<Response> {
  const answer = await fetch(`${program.url}/api${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: authorization },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

const call = async <T>(path: string, body: unknown, authorization?: string): Promise<T> =>
  ((await (await ask(path, body, authorization)).json()) as { data: T }).data;

/** Newcomer does with a page what a person with a pointer does, and counts. Everything has to be in sight. */
class Newcomer {
  presses = 0;
  fields = 0;
  constructor(readonly page: Page) {}

  async press(what: Locator): Promise<void> {
    await expect(what).toBeInViewport({ ratio: 0.9 });
    await what.click();
    this.presses++;
  }

  /** fill types into a field, which is pressed first unless the focus is there. */
  async fill(field: Locator, text: string): Promise<void> {
    await expect(field).toBeVisible();
    const within = (element: Element) => element.contains(document.activeElement);
    if (!(await field.evaluate(within))) {
      // A long form is scrolled by the wheel, which presses nothing.
      await field.scrollIntoViewIfNeeded();
      await this.press(field);
    }
    await field.fill(text);
    this.fields++;
  }

  /** choose presses a button and takes files in the system's dialog. */
  async choose(button: Locator, files: { name: string; buffer: Buffer }[]): Promise<void> {
    const [chooser] = await Promise.all([this.page.waitForEvent('filechooser'), this.press(button)]);
    await chooser.setFiles(files.map((file) => ({ ...file, mimeType: 'application/octet-stream' })));
  }

  async signIn(way: Locator): Promise<void> {
    await this.press(way);
    const name = this.page.getByLabel('Username');
    await expect(name).toBeFocused();
    await this.fill(name, 'admin');
    await this.fill(this.page.getByLabel('Password', { exact: true }), adminPassword);
    await this.press(this.page.getByRole('button', { name: 'Sign in', exact: true }));
  }

  /** panel is the way to a page of the panel. */
  async panel(name: string): Promise<void> {
    await this.signIn(this.page.getByRole('link', { name: 'Admin', exact: true }));
    await this.press(this.page.getByRole('link', { name, exact: true }).last());
    await expect(this.page.getByRole('heading', { level: 1, name })).toBeVisible();
  }
}

interface Try {
  me: Newcomer;
  page: Page;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

const tasks: Record<Task, (by: Try) => Promise<void>> = {
  async text({ me, page }) {
    await me.signIn(page.getByRole('link', { name: 'Sign in' }));
    await me.fill(page.getByRole('textbox', { name: 'Text to share' }), 'hello from the harbour');
    await me.press(button(page, 'Share'));
    await expect(page.getByText('Link copied to the clipboard')).toBeVisible();
  },

  async files({ me, page }) {
    await me.press(page.getByRole('link', { name: 'Upload', exact: true }));
    await me.signIn(page.getByRole('link', { name: 'Sign in' }));
    const three = ['a.txt', 'b.pdf', 'c.png'].map((name) => ({ name, buffer: Buffer.from(name) }));
    await me.choose(button(page, 'Choose files'), three);
    await me.press(page.getByRole('radio', { name: 'One link for all' }));
    await me.fill(page.getByLabel('Password (optional)'), 'sesame');
    await me.press(button(page, 'Upload 3 files'));
    const copy = button(page, 'Copy link').first();
    await expect(copy).toBeVisible();
    await copy.scrollIntoViewIfNeeded();
    await me.press(copy);
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toContain('/collection/');
  },

  async phone({ me, page }) {
    await ask('/paste', { content: 'the tide turns at nine', slug: 'tide', password: 'sesame' });
    await page.goto('/paste/tide');
    const password = page.getByLabel('Password', { exact: true });
    await expect(password).toBeFocused();
    await me.fill(password, 'sesame');
    await me.press(button(page, 'Open'));
    await expect(page.getByText('the tide turns at nine')).toBeVisible();
  },

  async find({ me, page }) {
    await me.press(page.getByRole('link', { name: 'Files', exact: true }));
    await me.signIn(page.getByRole('link', { name: 'Sign in' }));
    await me.press(page.getByRole('button', { name: 'Search files' }));
    await me.fill(page.getByRole('dialog').getByPlaceholder(/^Part of a name/), 'zebra');
    await me.press(page.getByRole('dialog').getByText('zebra.txt').first());
    await expect(page.getByText('stripes', { exact: true }).first()).toBeVisible();
  },

  async key({ me, page }) {
    await me.panel('API keys');
    await me.press(page.getByRole('link', { name: 'build', exact: true }));
    await me.press(page.getByRole('tab', { name: 'Folder' }));
    await me.press(button(page, 'Open local'));
    await me.press(page.getByLabel('Use team'));
    await me.press(button(page, 'Use this folder'));
    await me.press(button(page, 'Save'));
    await expect(page.getByRole('row').filter({ hasText: 'build' })).toContainText('/local/team');
  },

  async bucket({ me, page }) {
    await me.panel('Storage');
    await me.press(page.getByRole('link', { name: 'Add storage' }));
    await me.fill(page.getByLabel('Account ID (optional)'), 'a'.repeat(32));
    await me.fill(page.getByLabel('Bucket', { exact: true }), 'harbour');
    await me.fill(page.getByLabel('Access key ID'), 'b'.repeat(32));
    await me.fill(page.getByLabel('Secret access key'), 'c'.repeat(64));
    await me.press(button(page, 'Create'));
    await expect(page.getByRole('link', { name: 'Cloudflare R2' })).toBeVisible();
  },

  async visitors({ me, page }) {
    await me.panel('Texts');
    await me.press(page.getByRole('row').filter({ hasText: 'by-key-1' }).getByTitle('Access log'));
    await expect(page.getByRole('region', { name: 'Access log' }).getByText('127.0.0.0/24')).toBeVisible();
  },

  async stop({ me, page }) {
    await me.panel('API keys');
    await me.press(button(page, 'Actions for build'));
    await me.press(page.getByRole('menuitem', { name: 'Revoke all shares' }));
    await me.press(button(page, 'Revoke all shares'));
    await expect(page.getByText('2 shares revoked')).toBeVisible();
    expect((await fetch(`${program.url}/api/raw/by-key-1`)).status).toBe(404);
  },

  async rule({ me, page }) {
    await me.panel('Policies');
    await me.press(page.getByRole('button', { name: /^Use: / }).first());
    await me.press(button(page, 'Add to the rules'));
    await me.press(button(page, 'Save revision'));
    await me.press(button(page, 'Save and activate'));
    await expect(page.getByRole('table', { name: 'Active rules' })).toBeVisible();
  },

  async restore({ me, page }) {
    const backup = Buffer.from(await (await ask('/admin/backup', {})).arrayBuffer());
    await ask('/paste', { content: 'after the backup', slug: 'younger' });
    await me.panel('Backup');
    await me.choose(button(page, 'Choose a backup'), [{ name: 'a.backup', buffer: backup }]);
    await me.press(page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }));
    await expect(page.getByText('Restarting the server with the backup')).toBeVisible();
    await expect
      .poll(
        () =>
          fetch(`${program.url}/api/raw/younger`).then(
            ({ status }) => status,
            () => 0,
          ),
        {
          timeout: 60_000,
        },
      )
      .toBe(404);
    await expect(page.getByText('Restarting the server with the backup')).toHaveCount(0);
  },
};

test('ten tasks take fewer presses than with the predecessor', async ({ visit }) => {
  test.setTimeout(300_000);
  const put = await fetch(`${program.url}/api/fs/upload?path=/local/team/zebra.txt`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}` },
    body: 'stripes',
  });
  expect(put.ok).toBe(true);
  // It shares, and it may look into all folders.
  const key = { name: 'build', permissions: 1 + 2 + 256, basic_path: '/', expires_at: 'never' };
  const made = await call<{ key: string }>('/admin/api-keys', key);
  for (const slug of ['by-key-1', 'by-key-2'])
    await ask('/paste', { content: 'x', slug }, `ApiKey ${made.key}`);
  await fetch(`${program.url}/api/paste/by-key-1`);

  const taken: Partial<Record<Task, number>> = {};
  for (const [task, run] of Object.entries(tasks) as [Task, (by: Try) => Promise<void>][])
    await test.step(task, async () => {
      // While the server starts again, what the page asks for fails.
      const expected = /40[0-9]|ERR_|50[0-9]|Failed to fetch/;
      const page = await visit({ origin: program.url, phone: task === 'phone', expected });
      if (task !== 'phone') await page.goto('/');
      const me = new Newcomer(page);
      await run({ me, page });
      taken[task] = me.presses;
      await page.context().close();
    });
  expect(taken).toEqual(here);
  const all = Object.keys(there) as Task[];
  expect(all.filter((task) => here[task] > there[task])).toEqual([]);
  expect(all.filter((task) => here[task] < there[task]).length).toBeGreaterThanOrEqual(7);
});
