import { describe, expect, it } from 'vitest';
import { decode, detectEncoding, encodings, encodingsFor, guessEncoding, textFacts } from './encoding';

const bytes = (...values: number[]) => new Uint8Array(values);
const utf8 = (text: string) => new TextEncoder().encode(text);

// "中文" in GB18030
const gb = bytes(0xd6, 0xd0, 0xce, 0xc4);

describe('detectEncoding', () => {
  it.each([
    ['UTF-8', utf8('中文 text'), 'en-US', 'utf-8'],
    ['ASCII as UTF-8', utf8('plain'), 'zh-CN', 'utf-8'],
    ['nothing as UTF-8', bytes(), 'zh-CN', 'utf-8'],
    ['UTF-8 with a mark', bytes(0xef, 0xbb, 0xbf, 0x61), 'en-US', 'utf-8'],
    ['UTF-16 LE with a mark', bytes(0xff, 0xfe, 0x61, 0), 'en-US', 'utf-16le'],
    ['UTF-16 BE with a mark', bytes(0xfe, 0xff, 0, 0x61), 'en-US', 'utf-16be'],
    ['UTF-16 LE without a mark', bytes(0x61, 0, 0x62, 0, 0x63, 0), 'en-US', 'utf-16le'],
    ['UTF-16 BE without a mark', bytes(0, 0x61, 0, 0x62, 0, 0x63), 'en-US', 'utf-16be'],
    ['UTF-8 cut inside a character', utf8('中文').subarray(0, 5), 'en-US', 'utf-8'],
    ['Chinese bytes for Chinese readers', gb, 'zh-CN', 'gb18030'],
    ['other bytes elsewhere', bytes(0xe9, 0x74, 0xe9), 'en-US', 'windows-1252'],
  ])('finds %s', (_, input, language, want) => {
    expect(detectEncoding(input, language)).toBe(want);
  });
});

// "Съешь же ещё этих мягких французских булок, да выпей чаю. " in windows-1251
const russian = bytes(
  ...[
    0xd1, 0xfa, 0xe5, 0xf8, 0xfc, 0x20, 0xe6, 0xe5, 0x20, 0xe5, 0xf9, 0xb8, 0x20, 0xfd, 0xf2, 0xe8, 0xf5,
    0x20,
  ],
  ...[
    0xec, 0xff, 0xe3, 0xea, 0xe8, 0xf5, 0x20, 0xf4, 0xf0, 0xe0, 0xed, 0xf6, 0xf3, 0xe7, 0xf1, 0xea, 0xe8,
    0xf5,
  ],
  ...[
    0x20, 0xe1, 0xf3, 0xeb, 0xee, 0xea, 0x2c, 0x20, 0xe4, 0xe0, 0x20, 0xe2, 0xfb, 0xef, 0xe5, 0xe9, 0x20,
    0xf7,
  ],
  ...[0xe0, 0xfe, 0x2e, 0x20],
);

describe('guessEncoding', () => {
  it('believes what the bytes prove', async () => {
    expect(await guessEncoding(utf8('中文 text'), 'a.txt', 'zh-CN')).toBe('utf-8');
    expect(await guessEncoding(bytes(0xff, 0xfe, 0x61, 0), 'a.txt', 'en-US')).toBe('utf-16le');
  });

  it('knows a script by its letters, whoever reads it', async () => {
    for (const language of ['en-US', 'zh-CN'])
      expect(await guessEncoding(russian, 'письмо.txt', language)).toBe('windows-1251');
  });

  it('takes the hint of a name, then of the language, where the bytes say little', async () => {
    expect(await guessEncoding(gb, '说明.txt', 'en-US')).toBe('gb18030');
    expect(await guessEncoding(gb, 'readme.txt', 'zh-CN')).toBe('gb18030');
  });
});

describe('encodingsFor', () => {
  it('offers GB18030 first to Chinese readers, and loses none', () => {
    expect(encodingsFor('zh-CN')[0]?.label).toBe('gb18030');
    expect(encodingsFor('en-US')[0]?.label).toBe('utf-8');
    expect(new Set(encodingsFor('zh-CN'))).toEqual(new Set(encodings));
  });
});

describe('decode', () => {
  it('reads every encoding of the menu', () => {
    for (const { label } of encodings) expect(() => decode(bytes(0x61, 0x62), label)).not.toThrow();
    expect(new Set(encodings.map(({ name }) => name)).size).toBe(encodings.length);
  });

  it('reads Chinese and drops the byte order mark', () => {
    expect(decode(gb, 'gb18030')).toBe('中文');
    expect(decode(bytes(0xef, 0xbb, 0xbf, 0x61), 'utf-8')).toBe('a');
  });
});

describe('textFacts', () => {
  it('counts lines, characters and words of both scripts', () => {
    expect(textFacts('中文 two words\n😀')).toMatchObject({ lines: 2, characters: 14, words: 4 });
  });

  it.each([
    ['a\nb', 'LF'],
    ['a\r\nb', 'CRLF'],
    ['a\rb', 'CR'],
    ['a\r\nb\nc', 'mixed'],
    ['a', 'LF'],
  ])('names the line end of %j', (text, want) => {
    expect(textFacts(text).lineEnding).toBe(want);
  });

  it('warns of binary content', () => {
    expect(textFacts('\u0000\u0001ab').binary).toBe(true);
    expect(textFacts('tab\tand\nline').binary).toBe(false);
    expect(textFacts('').binary).toBe(false);
  });
});
