// Measures how a text of some megabytes behaves in the editor of the home page, and prints the figures: the time
// of a key until its letter is painted, tasks over 50 ms, changes of the mode, the draft, the share. By hand, after
// "make build": node scripts/measure-editor.mjs [MB]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { browserOptions } from './browser.mjs';
import { pause, withProgram } from './program.mjs';

const size = Math.round(Number(process.argv[2] ?? 9.9) * 1e6);
const part = (number) =>
  [
    `## Day ${number}`,
    'The harbour log is kept by whoever has the watch. It names **every ship**, what it carried, 和天气。',
    '- one\n- two\n- three',
    '```js\nconst ships = 3;\n```',
    '| Ship | Load |\n| --- | --- |\n| Anna | wood |',
  ].join('\n\n') + '\n\n';

function document() {
  const parts = [];
  for (let bytes = 0, number = 1; ; number++) {
    const next = part(number);
    bytes += Buffer.byteLength(next);
    if (bytes > size) return parts.join('');
    parts.push(next);
  }
}

await withProgram(async ({ url, folder, token }) => {
  const file = join(folder, 'large.md');
  writeFileSync(file, document());
  const browser = await chromium.launch(browserOptions);
  try {
    const context = await browser.newContext({ locale: 'en-US', serviceWorkers: 'block' });
    const page = await context.newPage();
    page.on('pageerror', (error) => console.log('error:', error.message));
    await page.addInitScript((value) => {
      localStorage.setItem('admin_token', value);
      localStorage.setItem('language', 'en-US');
      localStorage.setItem('pp.editorMode', 'markdown');
      localStorage.setItem('pp.editorView', 'source');
      window.seen = { tasks: [], keys: [] };
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.seen.tasks.push(Math.round(duration));
      }).observe({ type: 'longtask', buffered: true });
      new PerformanceObserver((list) => {
        for (const { name, duration } of list.getEntries())
          if (name === 'keydown') window.seen.keys.push(Math.round(duration));
      }).observe({ type: 'event', durationThreshold: 16, buffered: true });
    }, token);
    await page.goto(url);
    await page.locator('.cm-content').waitFor();
    const step = async (name, act) => {
      await page.evaluate(() => (window.seen = { tasks: [], keys: [] }));
      const began = Date.now();
      await act();
      const took = Date.now() - began;
      await pause(2500);
      const { tasks, keys } = await page.evaluate(() => window.seen);
      const sorted = keys.toSorted((a, b) => a - b);
      const typed = sorted.length
        ? `, keys over 16 ms ${sorted.length}, median ${sorted[sorted.length >> 1]} ms, most ${sorted.at(-1)} ms`
        : '';
      console.log(`${name.padEnd(24)} ${took} ms, tasks over 50 ms: ${tasks.join(' ') || 'none'}${typed}`);
    };
    const type = (where) => async () => {
      await page.locator(where).first().focus();
      await page.keyboard.press('Control+End');
      for (let at = 0; at < 40; at++) {
        await page.keyboard.press(at % 8 === 7 ? 'Space' : 'x');
        await pause(60);
      }
    };
    await step('import', async () => {
      const choosing = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Import a file' }).click();
      await (await choosing).setFiles(file);
      await page.getByText(/was imported/).waitFor();
    });
    await step('type, source', type('.cm-content'));
    await step('draft saved', () =>
      page.getByText(/Draft saved on this device|does not fit/).waitFor({ timeout: 60_000 }),
    );
    console.log(await page.locator('[class*=below]').innerText());
    for (const way of ['Instant', 'Split', 'Preview', 'Text']) {
      await step(`to ${way}`, () => page.getByRole('radio', { name: way, exact: true }).check());
      if (way !== 'Preview') await step(`type, ${way}`, type('.cm-content, textarea'));
    }
    await step('bold', async () => {
      await page.getByRole('radio', { name: 'Source', exact: true }).check();
      await page.locator('.cm-content').focus();
      await page.keyboard.press('Control+b');
    });
    await step('reload', async () => {
      await page.reload();
      await page
        .getByText('was restored')
        .waitFor({ timeout: 10_000 })
        .catch(() => console.log('not restored'));
    });
    await step('share', async () => {
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByLabel('Link', { exact: true }).waitFor({ timeout: 60_000 });
    });
  } finally {
    await browser.close();
  }
});
