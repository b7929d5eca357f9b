import { defineConfig } from '@playwright/test';

// The tests run against the built program: e2e/setup.ts starts bin/pasteport
// on free ports with an empty data folder and stops it at the end.
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  globalSetup: './e2e/setup.ts',
  globalTimeout: 10 * 60_000,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  retries: 0,
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  use: {
    serviceWorkers: 'block',
    actionTimeout: 15_000,
    navigationTimeout: 20_000,
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: process.env.PASTEPORT_CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // A name that is not loopback to the browser, as a machine in a home network has one.
        '--host-resolver-rules=MAP pasteport.test 127.0.0.1',
      ],
    },
  },
});
