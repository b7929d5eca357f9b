import { describe, expect, it } from 'vitest';
import { mayMove, movesBy } from './moving';

const bytes = (...parts: (string | number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part)] : part)));
const size = [0, 0, 0, 0];

describe('movesBy', () => {
  for (const [name, picture, want] of [
    ['a WebP with the flag of a sequence', bytes('RIFF', size, 'WEBP', 'VP8X', size, [0x12, 0, 0, 0]), true],
    ['a WebP with other flags', bytes('RIFF', size, 'WEBP', 'VP8X', size, [0x10, 0, 0, 0]), false],
    ['a plain WebP', bytes('RIFF', size, 'WEBP', 'VP8 ', size, [0x02, 0, 0, 0]), false],
    ['an AVIF sequence', bytes(size, 'ftyp', 'avis'), true],
    ['one AVIF picture', bytes(size, 'ftyp', 'avif'), false],
    ['a WebP that is cut short', bytes('RIFF', size, 'WEBP'), false],
    ['nothing', bytes(), false],
  ] as const)
    it(`knows ${name}`, () => expect(movesBy(picture)).toBe(want));

  it('asks only of pictures that can move', () => {
    expect(['a.gif', 'b.WEBP', 'c.avif', 'd.png', 'e.jpg'].map(mayMove)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
