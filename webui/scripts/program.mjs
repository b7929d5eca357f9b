// What the measuring scripts share: the built program with an empty data folder.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const binary = join(import.meta.dirname, '../../bin/pasteport');
const password = 'correct horse battery staple';

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * withProgram starts bin/pasteport, signs in as administrator and runs `measure` with the program's address, its
 * process id, a folder that goes with it, the administrator's token and a way to call its API.
 */
export async function withProgram(measure) {
  const folder = mkdtempSync(join(process.env.MEASURE_DIR ?? tmpdir(), 'pasteport-measure-'));
  const url = `http://127.0.0.1:${await freePort()}`;
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
  let token = '';
  const call = async (method, path, body) => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    const given = await answer.json();
    return given.data ?? given;
  };
  try {
    for (let tries = 0; !(await fetch(`${url}/api/health`).catch(() => undefined)); tries++) {
      if (tries > 600 || program.exitCode !== null) throw new Error('the program does not answer');
      await pause(100);
    }
    ({ token } = await call('POST', '/admin/login', { username: 'admin', password }));
    await measure({ url, pid: program.pid, folder, token, call });
  } finally {
    program.kill('SIGTERM');
    if (program.exitCode === null) await new Promise((resolve) => program.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}
