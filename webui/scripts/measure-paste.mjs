// Measures when the text of a Markdown paste appears to a visitor with a slow phone and a slow line (processor at a
// quarter, 1.6 Mbit/s, 150 ms), and prints the figures and the requests. By hand, after "make build":
// node scripts/measure-paste.mjs [visits]
import { chromium } from '@playwright/test';
import { browserOptions } from './browser.mjs';
import { pause, withProgram } from './program.mjs';

const visits = Number(process.argv[2] ?? 3);
const round = (value) => String(Math.round(value)).padStart(6);

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

await withProgram(async ({ url, call }) => {
  const { slug } = await call('POST', '/paste', { content: text, syntax: 'markdown' });
  const browser = await chromium.launch(browserOptions);
  try {
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
    await browser.close();
  }
});
