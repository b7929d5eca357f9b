// Replaces each file of dist that packs well by its .br, so that the server's program holds it once and sends it
// as it lies. For clients without brotli the server unpacks it (adapters/httpapi/webapp/webfiles.go).
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const dist = join(import.meta.dirname, '../dist');
// The shell is filled in per request; the others are packed already.
const skipped = /^(index\.html|\.gitkeep)$|\.(br|woff2?|png|jpg|webp|gif)$/;
// A file that loses less than a tenth is not worth unpacking.
const worthwhile = 0.9;

const pack = promisify(brotliCompress);

async function replace(name) {
  const file = join(dist, name);
  const raw = readFileSync(file);
  const packed = await pack(raw, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
  });
  if (packed.length > raw.length * worthwhile) return;
  writeFileSync(`${file}.br`, packed);
  rmSync(file);
}

const names = readdirSync(dist, { recursive: true }).filter(
  (name) => !skipped.test(name) && statSync(join(dist, name)).isFile(),
);
await Promise.all(names.map(replace));
