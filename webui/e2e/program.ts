import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const adminPassword = 'correct horse battery staple';

const binary = join(import.meta.dirname, '..', '..', 'bin', 'pasteport');

export interface Program {
  /** url of the program, http://127.0.0.1:port. */
  url: string;
  /** far is the one address of this machine, as host:port, that the program may fetch from; nothing listens there yet. */
  far: string;
  /** restart ends the program, lets `change` work on its data folder, and starts it again at the same address. */
  restart: (change: (data: string) => void) => Promise<void>;
  /** stop ends the program and removes its data; it throws when the program had ended by itself before. */
  stop: () => Promise<void>;
}

/** startProgram starts bin/pasteport with an empty data folder and waits until it answers. `more` are settings. */
export async function startProgram(more: Record<string, string> = {}): Promise<Program> {
  if (!existsSync(binary)) throw new Error(`${binary} is missing: run "make build" first`);
  const data = mkdtempSync(join(tmpdir(), 'pasteport-e2e-'));
  const listen = await freeAddress();
  const far = await freeAddress();
  const env = {
    PATH: process.env.PATH,
    HOME: data,
    TMPDIR: tmpdir(),
    PASTEPORT_LISTEN: listen,
    PASTEPORT_INTERNAL_LISTEN: await freeAddress(),
    PASTEPORT_DATA_DIR: data,
    PASTEPORT_ADMIN_PASSWORD: adminPassword,
    PASTEPORT_RATE_LIMITS: 'off',
    PASTEPORT_FETCH_ALLOW: far,
    PASTEPORT_DRAIN_DELAY: '0',
    ...more,
  };
  const url = `http://${listen}`;
  const base = new URL(more.PASTEPORT_PUBLIC_URL ?? url).pathname.replace(/\/$/, '');
  let end = await run(env, url + base);
  return {
    url,
    far,
    async restart(change) {
      await end();
      change(data);
      end = await run(env, url + base);
    },
    async stop() {
      try {
        await end();
      } finally {
        rmSync(data, { recursive: true, force: true });
      }
    },
  };
}

/** run starts the program and waits until it answers at `url`; the answer ends it. */
async function run(env: NodeJS.ProcessEnv, url: string): Promise<() => Promise<void>> {
  const child = spawn(binary, ['serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  const collect = (text: Buffer) => (log = (log + text.toString()).slice(-8000));
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const running = () => child.exitCode === null && child.signalCode === null;
  for (const deadline = Date.now() + 120_000; !(await healthy(url)); await pause(50)) {
    if (running() && Date.now() < deadline) continue;
    child.kill('SIGKILL');
    throw new Error(`the program did not get ready:\n${log}`);
  }
  return async () => {
    const alive = running();
    child.kill('SIGTERM');
    await Promise.race([ended, pause(60_000).then(() => child.kill('SIGKILL'))]);
    if (!alive) throw new Error(`the program ended during the tests:\n${log}`);
  };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const healthy = (url: string) =>
  fetch(`${url}/api/health`).then(
    (response) => response.ok,
    () => false,
  );

/** freeAddress gives a port below those that the system hands out by itself, so that nobody takes it meanwhile. */
async function freeAddress(): Promise<string> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    if (await isFree(port)) return `127.0.0.1:${port}`;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
