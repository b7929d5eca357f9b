import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';

/** The program under test: where it listens, and the token of its administrator. */
export interface App {
  url: string;
  token: string;
  /** call makes an API call as administrator and answers the body. */
  call: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;
}

const password = 'end-to-end-Passw0rd';

/**
 * test starts the program once per worker, on a free port with an empty data
 * folder. PASTEPORT_BIN names another binary than bin/pasteport.
 */
export const test = base.extend<object, { app: App }>({
  app: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants a pattern here
    async ({}, provide) => {
      const folder = await mkdtemp(join(tmpdir(), 'pasteport-e2e-'));
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const program = start(folder, port);
      try {
        await answering(`${url}/api/health`, program);
        await provide(await signedIn(url));
      } finally {
        const ended = new Promise((resolve) => program.once('exit', resolve));
        program.kill('SIGTERM');
        await ended;
        await rm(folder, { recursive: true, force: true });
      }
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ app }, provide) => provide(app.url),
});

export { expect };

function start(folder: string, port: number): ChildProcess {
  const binary = process.env.PASTEPORT_BIN ?? join(import.meta.dirname, '../../bin/pasteport');
  const args = [
    'serve',
    '--listen',
    `127.0.0.1:${port}`,
    '--internal-listen',
    '127.0.0.1:0',
    '--data-dir',
    folder,
    '--log-level',
    'error',
  ];
  return spawn(binary, args, {
    env: { ...process.env, PASTEPORT_ADMIN_PASSWORD: password },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function answering(url: string, program: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (program.exitCode !== null) throw new Error(`the program ended with ${program.exitCode}`);
    const ready = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no answer from ${url}`);
}

async function signedIn(url: string): Promise<App> {
  const call = async (method: string, path: string, body?: unknown, token = '') => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const answer = await call('POST', '/admin/login', { username: 'admin', password });
  const { token } = answer.data as { token: string };
  return { url, token, call: (method, path, body) => call(method, path, body, token) };
}

/** Look is one way to see a screen. */
export interface Look {
  language: 'zh-CN' | 'en-US';
  theme: 'light' | 'dark';
  size: 'desktop' | 'phone';
}

export const looks: Look[] = (['en-US', 'zh-CN'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((theme) =>
    (['desktop', 'phone'] as const).map((size) => ({ language, theme, size })),
  ),
);

/** prepare sets language, theme, window and, when given, the administrator's token before the first page. */
export async function prepare(page: Page, look: Look, token = ''): Promise<void> {
  await page.setViewportSize(
    look.size === 'phone' ? { width: 375, height: 760 } : { width: 1280, height: 900 },
  );
  await page.addInitScript(
    ([language, theme, admin]) => {
      // Frames of other origins have no store, and need none.
      if (window.top !== window) return;
      localStorage.setItem('language', language ?? '');
      localStorage.setItem('themeMode', theme ?? '');
      if (admin) localStorage.setItem('admin_token', admin);
    },
    [look.language, look.theme, token],
  );
}

const axeSource = createRequire(import.meta.url).resolve('axe-core');

/** violations runs axe on the page. It is brought in by the debugger, because the page's policy refuses scripts. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: await readFile(axeSource, 'utf8') });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then((found) =>
      found.violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html)))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value as string[];
}

/** overflow is how many pixels the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
