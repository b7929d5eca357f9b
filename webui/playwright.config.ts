import { defineConfig } from '@playwright/test';

// The address of a running Pasteport; the caller starts it, so that tests meet the real server.
const baseURL = process.env.PASTEPORT_E2E_URL ?? 'http://127.0.0.1:8787';

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  reporter: [['list']],
  workers: 1,
  use: {
    baseURL,
    serviceWorkers: 'block',
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
      ],
    },
  },
});
