// Writes a .br and a .gz beside every text asset of dist, so that the server never compresses at request time.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const dist = join(import.meta.dirname, '../dist');
const text = /\.(js|mjs|css|html|svg|json|webmanifest|txt|wasm)$/;
// The shell is filled in per request, so a packed copy of it could never be sent.
const skipped = new Set(['index.html']);

for (const name of readdirSync(dist, { recursive: true })) {
  if (!text.test(name) || skipped.has(name) || name.startsWith('.vite')) continue;
  const raw = readFileSync(join(dist, name));
  const packed = {
    br: brotliCompressSync(raw, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
    }),
    gz: gzipSync(raw, { level: 9 }),
  };
  for (const [suffix, bytes] of Object.entries(packed)) {
    if (bytes.length < raw.length) writeFileSync(join(dist, `${name}.${suffix}`), bytes);
  }
}
