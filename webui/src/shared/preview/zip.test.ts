import { deflateRawSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { served } from '../../testing/servedBytes';
import { findDirectory, opens, readDirectory, tailLength, unpack, unpacksSafely, type ZipEntry } from './zip';

interface Made {
  name: Uint8Array | string;
  size: number;
  utf8?: boolean;
}

/** archive makes the records of an archive around `body` bytes of content. */
function archive(entries: Made[], body = 100, comment = ''): Uint8Array {
  const records = entries.map(({ name, size, utf8 = true }) => {
    const bytes = typeof name === 'string' ? new TextEncoder().encode(name) : name;
    const record = new Uint8Array(46 + bytes.length);
    const view = new DataView(record.buffer);
    view.setUint32(0, 0x02014b50, true);
    view.setUint16(8, utf8 ? 0x800 : 0, true);
    view.setUint32(20, Math.ceil(size / 2), true);
    view.setUint32(24, size, true);
    view.setUint16(28, bytes.length, true);
    record.set(bytes, 46);
    return record;
  });
  const length = records.reduce((sum, record) => sum + record.length, 0);
  const end = new Uint8Array(22 + comment.length);
  const view = new DataView(end.buffer);
  view.setUint32(0, 0x06054b50, true);
  view.setUint32(12, length, true);
  view.setUint32(16, body, true);
  end.set(new TextEncoder().encode(comment), 22);
  const whole = new Uint8Array(body + length + end.length);
  let at = body;
  for (const piece of [...records, end]) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function list(bytes: Uint8Array, language = 'en-US', most = 100) {
  const place = findDirectory(bytes.subarray(-tailLength), bytes.length);
  if (!place) throw new Error('no directory');
  return readDirectory(bytes.subarray(place.from, place.to), language, most);
}

describe('an archive', () => {
  it('lists its entries from its end, behind a comment too', () => {
    const entries = list(
      archive(
        [
          { name: '港口/', size: 0 },
          { name: '港口/log.txt', size: 12 },
        ],
        100,
        'made today',
      ),
    );
    expect(entries).toMatchObject([
      { name: '港口/', size: 0, packed: 0, folder: true },
      { name: '港口/log.txt', size: 12, packed: 6, folder: false },
    ]);
  });

  it('reads names of old Chinese programs', () => {
    const name = new Uint8Array([0xd6, 0xd0, 0xce, 0xc4]);
    expect(list(archive([{ name, size: 1, utf8: false }]), 'zh-CN')[0]?.name).toBe('中文');
  });

  it('lists no more than it is asked for', () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ name: `${index}.txt`, size: 1 }));
    expect(list(archive(many), 'en-US', 5)).toHaveLength(5);
  });

  it('is not found where there is none', () => {
    expect(findDirectory(new Uint8Array(500), 500)).toBeUndefined();
    expect(findDirectory(new Uint8Array(3), 3)).toBeUndefined();
    const cut = archive([{ name: 'a', size: 1 }], 100).subarray(50);
    expect(findDirectory(cut, cut.length)).toBeUndefined();
  });
});

describe('unpacksSafely', () => {
  it.each([
    ['a plain one', [{ name: 'a', size: 5000 }], true],
    ['one that is much larger inside', [{ name: 'a', size: 20 << 20 }], false],
    [
      'one that is too large',
      [
        { name: 'a', size: 150 << 20 },
        { name: 'b', size: 150 << 20 },
      ],
      false,
    ],
    ['one of too many files', Array.from({ length: 10_001 }, () => ({ name: 'a', size: 1 })), false],
  ])('judges %s', (_, entries, want) => {
    expect(unpacksSafely(archive(entries))).toBe(want);
  });

  it('refuses what is no archive', () => {
    expect(unpacksSafely(new Uint8Array(100))).toBe(false);
  });
});

describe('an entry', () => {
  const text = 'Ada and Bo keep the log.\n'.repeat(50);
  const name = new TextEncoder().encode('log.txt');
  const entry: ZipEntry = {
    name: 'log.txt',
    size: text.length,
    packed: 0,
    folder: false,
    at: 40,
    method: 8,
    locked: false,
  };

  /** packed is a file that has the entry from byte 40 on. */
  function packed(content: Uint8Array): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(40 + 30 + name.length + 4 + content.length + 100);
    const view = new DataView(bytes.buffer, 40);
    view.setUint32(0, 0x04034b50, true);
    view.setUint16(26, name.length, true);
    view.setUint16(28, 4, true);
    bytes.set(name, 70);
    bytes.set(content, 70 + name.length + 4);
    return bytes;
  }

  const take = (bytes: Uint8Array<ArrayBuffer>, what: ZipEntry) => {
    served(bytes);
    return unpack({ url: '/a.zip' }, what, new AbortController().signal);
  };

  afterEach(() => vi.unstubAllGlobals());

  it('is taken out alone, packed or not', async () => {
    const deflated = deflateRawSync(text);
    const unpacked = await take(packed(deflated), { ...entry, packed: deflated.length });
    expect(unpacked.size).toBe(text.length);
    const stored = await take(packed(new TextEncoder().encode(text)), {
      ...entry,
      method: 0,
      packed: text.length,
    });
    expect(stored.size).toBe(text.length);
  });

  it('is refused when it is larger than its archive says, or somewhere else', async () => {
    const bomb = deflateRawSync(new Uint8Array(5 << 20));
    await expect(take(packed(bomb), { ...entry, packed: bomb.length })).rejects.toThrow('another size');
    await expect(take(packed(bomb), { ...entry, at: 41, packed: bomb.length })).rejects.toThrow('no entry');
  });

  it.each([
    ['a plain one', {}, true],
    ['a folder', { folder: true }, false],
    ['one with a password', { locked: true }, false],
    ['one packed in another way', { method: 14 }, false],
    ['a very large one', { size: 200 << 20 }, false],
  ])('opens in the page: %s', (_, change, want) => {
    expect(opens({ ...entry, ...change })).toBe(want);
  });
});
