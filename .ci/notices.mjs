// notices FILE: writes the licences of everything that the program brings, of Go modules and npm packages, each text
// once with those it belongs to. The same sources give the same bytes.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');

/** modules are the Go modules of the program, as "name version" and folder; the standard library's licence is Go's own. */
function modules() {
  const format = '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}';
  const listed = execFileSync('go', ['list', '-deps', '-f', format, './cmd/pasteport'], { cwd: root, encoding: 'utf8' });
  const goRoot = execFileSync('go', ['env', 'GOROOT'], { cwd: root, encoding: 'utf8' }).trim();
  return [...new Set(listed.split('\n').filter(Boolean)), `Go, its standard library\t${goRoot}`];
}

/** packages are the npm packages that the web UI is built from. */
function packages() {
  const lock = JSON.parse(readFileSync(join(root, 'webui/package-lock.json'), 'utf8'));
  return Object.entries(lock.packages)
    .filter(([at, p]) => at !== '' && !p.dev && !p.devOptional && !p.optional && !p.link)
    .map(([at, p]) => `${at.replace(/^.*node_modules\//, '')} ${p.version}\t${join(root, 'webui', at)}`);
}

/** texts are the licence files of a folder, or what its package.json says. */
function texts(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice|patents)([-_.].*)?$/i.test(name) && !/\.(go|js|ts|json)$/.test(name));
  const found = names.sort().flatMap((name) => {
    try {
      return [readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim()];
    } catch (error) {
      if (error.code === 'EISDIR') return []; // a folder of that name
      throw error;
    }
  });
  if (found.length > 0) return found;
  const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!license) throw new Error(`${folder} has no licence`);
  return [`(no text in the package) ${license}`];
}

const owners = new Map(); // by text
for (const line of [...modules(), ...packages()]) {
  const [name, folder] = line.split('\t');
  for (const text of texts(folder)) owners.set(text, [...(owners.get(text) ?? []), name].sort());
}
const rule = '='.repeat(100);
const parts = [...owners]
  .map(([text, names]) => [[...new Set(names)].join('\n'), text])
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([names, text]) => `${rule}\n${names}\n${rule}\n\n${text}\n`);
const whole = `Pasteport contains the software of others. These are its parts and their licences.\n\n${parts.join('\n')}`;
const [target] = process.argv.slice(2);
writeFileSync(target, target.endsWith('.br') ? brotliCompressSync(whole) : whole);
