import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { md5 } from './md5';

describe('md5', () => {
  it.each([
    ['', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['abc', '900150983cd24fb0d6963f7d28e17f72'],
    ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
  ])('of %j is as RFC 1321 has it', (text, want) => {
    expect(md5(new TextEncoder().encode(text))).toBe(want);
  });

  it('is right around the ends of blocks', () => {
    for (const length of [55, 56, 63, 64, 65, 119, 120, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31) % 251);
      expect(md5(bytes)).toBe(createHash('md5').update(bytes).digest('hex'));
    }
  });

  it('reads a part of a buffer', () => {
    const bytes = Uint8Array.of(9, 97, 98, 99, 9).subarray(1, 4);
    expect(md5(bytes)).toBe('900150983cd24fb0d6963f7d28e17f72');
  });
});
