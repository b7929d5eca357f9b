// Measures the memory of the tab while it uploads one large file, and prints the figures. By hand, after
// "make build": node scripts/measure-upload.mjs [GiB]
import { execFileSync } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { browserOptions } from './browser.mjs';
import { pause, withProgram } from './program.mjs';

const size = Math.round(Number(process.argv[2] ?? 2) * 2 ** 30);
const mebibytes = (bytes) => Math.round(bytes / 2 ** 20);

/** processes are those of the browser with this folder, with their resident memory in bytes. */
function processes(marker) {
  const lines = execFileSync('ps', ['-eo', 'pid,args', '-ww'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  }).split('\n');
  return lines.filter((line) => line.includes(marker)).map((line) => Number.parseInt(line, 10));
}

function resident(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

const kindOf = (pid) => {
  try {
    return /--type=([\w-]+)/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[1] ?? 'browser';
  } catch {
    return 'gone';
  }
};

await withProgram(async ({ url, pid, folder, token, call }) => {
  await call('PUT', '/admin/settings/group/1?validate=false', { max_upload_size: 16 * 1024 });

  const file = join(folder, 'large.bin');
  writeFileSync(file, 'begin');
  truncateSync(file, size);

  const profile = join(folder, 'profile');
  const context = await chromium.launchPersistentContext(profile, {
    ...browserOptions,
    locale: 'en-US',
    serviceWorkers: 'block',
  });
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(url);
    await page.evaluate((value) => {
      localStorage.setItem('admin_token', value);
      localStorage.setItem('language', 'en-US');
    }, token);
    await page.goto(`${url}/upload`);
    await page.getByTestId('files').setInputFiles(file);
    await page.getByRole('button', { name: 'Upload 1 file' }).waitFor();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable');
    await pause(3000);

    const samples = [];
    const sample = async () => {
      const { metrics } = await cdp.send('Performance.getMetrics');
      const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
      const by = { heap, renderer: 0, browser: 0, server: resident(pid) };
      for (const child of processes(profile)) {
        const kind = kindOf(child);
        if (kind === 'renderer') by.renderer = Math.max(by.renderer, resident(child));
        if (kind === 'browser') by.browser += resident(child);
      }
      samples.push(by);
      return by;
    };
    const before = await sample();
    const began = Date.now();
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
    const link = page.getByLabel('Share link of large.bin');
    while (!(await link.isVisible())) {
      if (await page.getByRole('button', { name: 'Try large.bin again' }).isVisible())
        throw new Error(await page.getByRole('list').first().innerText());
      await sample();
      await pause(1000);
    }
    const seconds = (Date.now() - began) / 1000;
    const after = await sample();
    console.log(
      `${mebibytes(size)} MiB in ${seconds.toFixed(0)} s, ${samples.length} samples; MiB before, most, after:`,
    );
    for (const kind of ['heap', 'renderer', 'browser', 'server']) {
      const most = Math.max(...samples.map((one) => one[kind]));
      console.log(
        `${kind.padEnd(9)} ${mebibytes(before[kind])}  ${mebibytes(most)}  ${mebibytes(after[kind])}`,
      );
    }
  } finally {
    await context.close();
  }
});
