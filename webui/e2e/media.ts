import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** wav makes a tone of exactly `size` bytes: 16 bit, 44.1 kHz, two channels. Its bytes do not repeat soon. */
export function wav(size: number): Buffer<ArrayBuffer> {
  const head = 44;
  const rate = 44_100;
  const file = Buffer.alloc(size);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(size - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(2, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 4, 28);
  file.writeUInt16LE(4, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(size - head, 40);
  for (let at = head, i = 0; at + 2 <= size; at += 2, i++)
    file.writeInt16LE(Math.round(8000 * Math.sin(i * i * 1e-7)), at);
  return file;
}

/** mp3 makes two seconds of silence with a title, an artist and a picture inside (ID3v2.4). */
export function mp3(title: string, artist: string, picture: Buffer): Buffer<ArrayBuffer> {
  const seven = (value: number) => Buffer.from([21, 14, 7, 0].map((by) => (value >> by) & 127));
  const part = (id: string, content: Buffer) =>
    Buffer.concat([Buffer.from(id, 'latin1'), seven(content.length), Buffer.alloc(2), content]);
  const text = (words: string) => Buffer.from(`\u0003${words}`);
  const tag = Buffer.concat([
    part('TIT2', text(title)),
    part('TPE1', text(artist)),
    part('APIC', Buffer.concat([Buffer.from('\0image/png\0\u0003\0', 'latin1'), picture])),
  ]);
  // MPEG-1 layer 3, 128 kbit/s, 44.1 kHz.
  const silence = Buffer.alloc(417);
  silence.set([0xff, 0xfb, 0x90, 0x64]);
  return Buffer.concat([
    Buffer.from('ID3\u0004\0\0', 'latin1'),
    seven(tag.length),
    tag,
    ...Array.from({ length: 77 }, () => silence),
  ]);
}

/** png makes a picture with a gradient. */
export function png(width: number, height: number): Buffer<ArrayBuffer> {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * (width * 3 + 1) + 1 + x * 3;
      rows[at] = 10;
      rows[at + 1] = 80 + Math.floor((x / width) * 120);
      rows[at + 2] = 80 + Math.floor((y / height) * 120);
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}

export function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
