// Measures when the text of a Markdown paste appears to a visitor with a slow phone and a slow line (processor at a
// quarter, 1.6 Mbit/s, 150 ms), and prints the figures and the requests. By hand, after "make build":
// node scripts/measure-paste.mjs [visits]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

const visits = Number(process.argv[2] ?? 3);
const binary = join(import.meta.dirname, '../../bin/pasteport');
const folder = mkdtempSync(join(process.env.MEASURE_DIR ?? tmpdir(), 'pasteport-measure-'));
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const round = (value) => String(Math.round(value)).padStart(6);

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const paragraph =
  'The harbour log is kept by whoever has the watch. It names every ship, **what it carried**, and the weather.';
const text = [
  '# Harbour log',
  ...Array.from({ length: 12 }, (_, part) =>
    [
      `## Day ${part + 1}`,
      `${paragraph} ${paragraph}`,
      '- one\n- two\n- three',
      '```js\nconst ships = 3;\n```',
      '| Ship | Load |\n| --- | --- |\n| Anna | wood |',
    ].join('\n\n'),
  ),
].join('\n\n');

const url = `http://127.0.0.1:${await freePort()}`;
const password = 'correct horse battery staple';
const program = spawn(binary, ['serve'], {
  env: {
    PATH: process.env.PATH,
    HOME: folder,
    PASTEPORT_LISTEN: new URL(url).host,
    PASTEPORT_INTERNAL_LISTEN: `127.0.0.1:${await freePort()}`,
    PASTEPORT_DATA_DIR: join(folder, 'data'),
    PASTEPORT_ADMIN_PASSWORD: password,
  },
  stdio: 'ignore',
});
let browser;
try {
  const call = async (path, body, token) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(`${url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    const given = await answer.json();
    return given.data ?? given;
  };
  for (let tries = 0; !(await fetch(`${url}/api/health`).catch(() => undefined)); tries++) {
    if (tries > 600) throw new Error('the program does not answer');
    await pause(100);
  }
  const { token } = await call('/admin/login', { username: 'admin', password });
  const { slug } = await call('/paste', { content: text, syntax: 'markdown' }, token);

  browser = await chromium.launch({
    executablePath: process.env.PASTEPORT_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  });
  for (let visit = 1; visit <= visits; visit++) {
    const context = await browser.newContext({
      locale: 'en-US',
      serviceWorkers: 'block',
      viewport: { width: 412, height: 823 },
    });
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 1.6e6 / 8,
      uploadThroughput: 0.75e6 / 8,
    });
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.addInitScript(() => {
      window.seen = { shifts: 0 };
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          window.seen.largest = entry.startTime;
          window.seen.what = `${entry.element?.tagName} ${entry.element?.textContent?.slice(0, 40)}`;
        }
      }).observe({ type: 'largest-contentful-paint', buffered: true });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.seen.shifts += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(`${url}/paste/${slug}`);
    await page.getByRole('heading', { name: 'Day 12' }).waitFor();
    await pause(3000);
    const got = await page.evaluate(() => ({
      ...window.seen,
      first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      requests: [
        ...performance.getEntriesByType('navigation'),
        ...performance.getEntriesByType('resource'),
      ].map(({ name, startTime, responseStart, responseEnd, encodedBodySize, initiatorType }) => ({
        name: name.replace(location.origin, ''),
        startTime,
        responseStart,
        responseEnd,
        bytes: encodedBodySize,
        initiatorType,
      })),
    }));
    console.log(
      `visit ${visit}: first paint ${Math.round(got.first)} ms, largest ${Math.round(got.largest)} ms (${got.what}), shifts ${got.shifts.toFixed(3)}`,
    );
    if (visit === visits) {
      console.log(' start  first   last  bytes');
      for (const request of got.requests) {
        console.log(
          `${round(request.startTime)} ${round(request.responseStart)} ${round(request.responseEnd)} ${round(request.bytes)}  ${request.initiatorType} ${request.name}`,
        );
      }
    }
    await context.close();
  }
} finally {
  await browser?.close();
  program.kill('SIGTERM');
  await new Promise((resolve) => (program.exitCode === null ? program.once('exit', resolve) : resolve()));
  rmSync(folder, { recursive: true, force: true });
}
