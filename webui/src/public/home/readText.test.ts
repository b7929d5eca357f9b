import { describe, expect, it } from 'vitest';
import { readText } from './readText';

describe('readText', () => {
  it.each<[string, number[], string | undefined]>([
    ['UTF-8', [0xe5, 0x88, 0x86], '分'],
    ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, 0x61], 'a'],
    ['UTF-16 LE', [0xff, 0xfe, 0x61, 0x00], 'a'],
    ['UTF-16 BE', [0xfe, 0xff, 0x00, 0x61], 'a'],
    ['GB18030', [0xb7, 0xd6, 0xcf, 0xed], '分享'],
    ['nothing', [], ''],
    ['a picture', [0x89, 0x50, 0x4e, 0x47, 0x00], undefined],
  ])('reads %s', async (_, bytes, want) => {
    expect(await readText(new Blob([new Uint8Array(bytes)]))).toBe(want);
  });
});
