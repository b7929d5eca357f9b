// Measures the memory of the tab while it uploads one large file, and prints the figures. By hand, after
// "make build": node scripts/measure-upload.mjs [GiB]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

const size = Math.round(Number(process.argv[2] ?? 2) * 2 ** 30);
const binary = join(import.meta.dirname, '../../bin/pasteport');
const folder = mkdtempSync(join(process.env.MEASURE_DIR ?? tmpdir(), 'pasteport-measure-'));
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const mebibytes = (bytes) => Math.round(bytes / 2 ** 20);

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

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
let context;
try {
  const call = async (method, path, body, token) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()).data;
  };
  for (let tries = 0; !(await fetch(`${url}/api/health`).catch(() => undefined)); tries++) {
    if (tries > 600) throw new Error('the program does not answer');
    await pause(100);
  }
  const { token } = await call('POST', '/admin/login', { username: 'admin', password });
  await call('PUT', '/admin/settings/group/1?validate=false', { max_upload_size: 16 * 1024 }, token);

  const file = join(folder, 'large.bin');
  writeFileSync(file, 'begin');
  truncateSync(file, size);

  const profile = join(folder, 'profile');
  context = await chromium.launchPersistentContext(profile, {
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
    locale: 'en-US',
    serviceWorkers: 'block',
  });
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
    const by = { heap, renderer: 0, browser: 0, server: resident(program.pid) };
    for (const pid of processes(profile)) {
      const kind = kindOf(pid);
      if (kind === 'renderer') by.renderer = Math.max(by.renderer, resident(pid));
      if (kind === 'browser') by.browser += resident(pid);
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
  await context?.close();
  program.kill('SIGTERM');
  await new Promise((resolve) => (program.exitCode === null ? program.once('exit', resolve) : resolve()));
  rmSync(folder, { recursive: true, force: true });
}
