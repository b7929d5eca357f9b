import { test as base, expect, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { adminToken, serverUrl } from './api';
import { adminPassword, startProgram, type Program } from './program';
import { watch } from './watch';
import type { Language } from './words';

interface Visit {
  language?: Language;
  /** admin opens the page signed in as administrator. */
  admin?: boolean;
  /** stored is what the browser remembers in local storage from an earlier visit. */
  stored?: Record<string, string>;
  phone?: boolean;
  origin?: string;
  /** expected are reports in the console that the test provokes. */
  expected?: RegExp;
}

interface Fixtures {
  /** own starts a program for this flow alone, which ends after its pages: one that still asks would be cut off. */
  own: () => Promise<Program>;
  /** visit opens a fresh browser profile: no cookies, no storage, no sign-in unless asked for. */
  visit: (visit?: Visit) => Promise<Page>;
}

/** test watches every page it opens: an error of a script, of the console or of the CSP fails it. */
export const test = base.extend<Fixtures, { program: undefined }>({
  // Each worker has a program of its own. Since a flow that failed is tried again by a new worker, its second try
  // finds nothing of what the first one left, and may make the same names again.
  program: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, provide) => {
      const program = await startProgram();
      process.env.PASTEPORT_E2E_URL = program.url;
      process.env.PASTEPORT_E2E_FAR = program.far;
      await provide(undefined);
      await program.stop();
    },
    { scope: 'worker', auto: true },
  ],
  // eslint-disable-next-line no-empty-pattern
  own: async ({}, provide) => {
    const programs: Program[] = [];
    await provide(async () => {
      const program = await startProgram();
      programs.push(program);
      return program;
    });
    await Promise.all(programs.map((program) => program.stop()));
  },
  // `own` is set up before it, and so ends after it.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  visit: async ({ browser, own: _ }, provide) => {
    const contexts: BrowserContext[] = [];
    const problems: string[][] = [];
    await provide(async (visit = {}) => {
      const context = await openContext(browser, visit);
      contexts.push(context);
      const page = await context.newPage();
      problems.push(watch(page, visit.expected));
      return page;
    });
    await Promise.all(contexts.map((context) => context.close()));
    expect(problems.flat()).toEqual([]);
  },
});

/** openContext makes a browser profile with what the visitor has chosen before. */
export async function openContext(browser: Browser, visit: Visit): Promise<BrowserContext> {
  const { language = 'en-US', admin = false, stored = {}, phone = false, origin = serverUrl() } = visit;
  // Flows that are not about the editor write into the text field, which needs nothing fetched.
  const kept = {
    language,
    'pp.editorMode': 'plain',
    ...stored,
    ...(admin && { admin_token: await adminToken() }),
  };
  const context = await browser.newContext({
    baseURL: origin,
    locale: language,
    viewport: phone ? { width: 375, height: 812 } : { width: 1280, height: 800 },
    ...(phone && { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }),
    reducedMotion: 'reduce',
    storageState: {
      cookies: [],
      origins: [{ origin, localStorage: Object.entries(kept).map(([name, value]) => ({ name, value })) }],
    },
  });
  // Chromium grants these in secure contexts only, as it does to people.
  if (new URL(origin).hostname === '127.0.0.1')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  return context;
}

/** signIn fills in the form that the panel shows to those who are not signed in. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(adminPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export { expect };
