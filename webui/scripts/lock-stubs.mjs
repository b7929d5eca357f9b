// Completes package-lock.json after an install: a registry view may offer only some platform binaries, npm
// leaves the others out of the lock, and `npm ci` then refuses it. Every optional dependency that has no entry
// gets one with what is known about it. Run through `npm run lock`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** missingOptional lists the optional dependencies that no entry of the lock file satisfies. */
export function missingOptional(lock) {
  const missing = new Map();
  for (const [owner, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!resolves(lock, owner, name)) missing.set(`node_modules/${name}`, { name, version });
    }
  }
  return missing;
}

function resolves(lock, owner, name) {
  for (let dir = owner; ; dir = dir.slice(0, Math.max(0, dir.lastIndexOf('node_modules/') - 1))) {
    if (lock.packages[`${dir ? `${dir}/` : ''}node_modules/${name}`]) return true;
    if (!dir) return false;
  }
}

/** platformOf reads os, cpu and libc out of a platform package's name, as all of them spell it. */
export function platformOf(name) {
  const os = /(darwin|linux|win32|freebsd|openbsd|netbsd|android|sunos|aix|openharmony)/.exec(name)?.[1];
  const cpu = /(x64|arm64|arm(?![a-z0-9]*64)|ia32|ppc64|riscv64|s390x|loong64|mips64el|wasm32)/.exec(
    name,
  )?.[1];
  const libc =
    os === 'linux' ? (/musl/.test(name) ? 'musl' : /gnu/.test(name) ? 'glibc' : undefined) : undefined;
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }) };
}

function main() {
  const path = join(import.meta.dirname, '../package-lock.json');
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const missing = missingOptional(lock);
  for (const [key, { name, version }] of missing) {
    lock.packages[key] = { version: version.replace(/^[^0-9]*/, ''), optional: true, ...platformOf(name) };
  }
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  );
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`package-lock.json: ${missing.size} optional packages completed`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
