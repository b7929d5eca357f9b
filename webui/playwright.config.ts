import { defineConfig } from '@playwright/test';
import { browserOptions } from './scripts/browser.mjs';

// The tests run against the built program: each worker starts bin/pasteport on free ports with an empty data folder
// (e2e/fixtures.ts) and stops it at the end.
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Tests wait for what happens; these only end what never happens. A busy machine may take ten times as long.
  globalTimeout: 40 * 60_000,
  timeout: 3 * 60_000,
  expect: { timeout: 30_000 },
  // A flow that fails is repeated once; "make test" ends with the names of those.
  reporter: [['list'], ['./scripts/repeated.mjs']],
  retries: 1,
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  use: {
    serviceWorkers: 'block',
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      ...browserOptions,
      args: [
        ...browserOptions.args,
        // A name that is not loopback to the browser, as a machine in a home network has one.
        '--host-resolver-rules=MAP pasteport.test 127.0.0.1',
      ],
    },
  },
});
