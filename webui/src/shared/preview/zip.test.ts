import { describe, expect, it } from 'vitest';
import { findDirectory, readDirectory, tailLength, unpacksSafely } from './zip';

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
    expect(entries).toEqual([
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
