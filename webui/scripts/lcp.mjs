// Measures how soon a visitor with a slow phone and a slow line (processor at a quarter, 1.6 Mbit/s, 150 ms) sees a page
// the first time, and what has come by then: the medians of the largest and the first contentful paint, of the bytes and
// requests before the largest one, and of the layout's shifts. The clock says little on a busy machine; bytes and
// requests are the same on any. By hand, after "make build": npm run lcp [-- visits]
import { chromium } from '@playwright/test';
import { browserOptions } from './browser.mjs';
import { pause, withProgram } from './program.mjs';

const visits = Number(process.argv[2] ?? 7);

const paragraph =
  'The harbour log is kept by whoever has the watch. It names every ship, **what it carried**, and the weather.';
const part = (day) =>
  [
    `## Day ${day}`,
    `${paragraph} ${paragraph}`,
    '- one\n- two\n- three',
    '```js\nconst ships = 3;\n```',
    '| Ship | Load |\n| --- | --- |\n| Anna | wood |',
  ].join('\n\n');
const textOf = (days) =>
  ['# Harbour log', ...Array.from({ length: days }, (_, at) => part(at + 1))].join('\n\n');
/** As many days as make 1 MiB. */
const longDays = Math.ceil(2 ** 20 / part(1000).length);

/** measure visits an address once, with an empty cache, and says what was seen. */
async function measure(browser, address, slow) {
  const context = await browser.newContext({
    locale: 'en-US',
    serviceWorkers: 'block',
    viewport: { width: 412, height: 823 },
  });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  if (slow) {
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 1.6e6 / 8,
      uploadThroughput: 0.75e6 / 8,
    });
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  }
  // What has come by when, by the browser's own clock (seconds).
  const came = [];
  const ended = new Set();
  cdp.on('Network.dataReceived', ({ timestamp, encodedDataLength }) =>
    came.push([timestamp, encodedDataLength]),
  );
  cdp.on('Network.loadingFinished', ({ timestamp, requestId }) => ended.add([timestamp, requestId]));
  let began = 0;
  cdp.on('Network.requestWillBeSent', ({ timestamp, type }) => {
    if (type === 'Document') began ||= timestamp;
  });
  await page.addInitScript(() => {
    window.seen = { shifts: 0, largest: 0, what: '' };
    new PerformanceObserver((list) => {
      for (const { startTime, element } of list.getEntries()) {
        window.seen.largest = startTime;
        window.seen.what = `${element?.tagName} ${element?.textContent?.slice(0, 40)}`;
      }
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) window.seen.shifts += value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(address);
  await page.locator('#pp-nav').waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  await pause(1500);
  const seen = await page.evaluate(() => ({
    ...window.seen,
    first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  }));
  await context.close();
  const until = began + seen.largest / 1000;
  return {
    ...seen,
    bytes: came.reduce((sum, [at, bytes]) => (at <= until ? sum + bytes : sum), 0),
    requests: [...ended].filter(([at]) => at <= until).length,
  };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

await withProgram(async ({ url, call }) => {
  const paste = async (content, syntax) => (await call('POST', '/paste', { content, syntax })).slug;
  const pages = [
    ['paste in Markdown', `/paste/${await paste(textOf(12), 'markdown')}`, true],
    ['paste in plain text', `/paste/${await paste(textOf(12), 'text')}`, true],
    ['home', '/', true],
    ['1 MiB of Markdown, not slowed down', `/paste/${await paste(textOf(longDays), 'markdown')}`, false],
  ];
  const browser = await chromium.launch(browserOptions);
  try {
    for (const [name, path, slow] of pages) {
      const all = [];
      for (let visit = 0; visit < visits; visit++) all.push(await measure(browser, url + path, slow));
      const of = (field) => Math.round(median(all.map((one) => one[field])));
      console.log(
        `${name}: largest ${of('largest')} ms (${all[0].what}), first ${of('first')} ms, before the largest ${of('bytes')} bytes in ${of('requests')} requests, shifts ${median(all.map(({ shifts }) => shifts)).toFixed(3)}`,
      );
    }
  } finally {
    await browser.close();
  }
});
