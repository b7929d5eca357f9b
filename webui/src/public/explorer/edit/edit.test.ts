import { describe, expect, it } from 'vitest';
import { decode, encodings } from '../../../shared/preview/encoding';
import { marksOf } from './colours';
import { diffLines } from '../../../shared/editor/diff';
import { encode } from './encode';
import { placesOf } from './find';
import { textOf } from './textFile';

const samples: Record<string, string> = {
  gb18030: '港口 harbour, 鿿 and 😀 €',
  gbk: '港口 harbour',
  gb2312: '港口 harbour',
  big5: '港口 harbour',
  shift_jis: 'みなと ﾐﾅﾄ 港',
  'euc-jp': 'みなと 港 丂',
  'euc-kr': '항구 harbour',
  'koi8-r': 'гавань',
  'windows-1251': 'гавань',
  'windows-1256': 'ميناء',
  'iso-8859-7': 'λιμάνι',
  'iso-8859-8': 'נמל',
  'iso-8859-6': 'ميناء',
  'iso-8859-5': 'гавань',
};

describe('encode', () => {
  it.each(encodings.map(({ label }) => label))('%s is read back as it was written', (label) => {
    const text = samples[label] ?? (label.startsWith('utf') ? '港口 😀 é' : 'Hafen 123');
    const { bytes, lost } = encode(text, label);
    expect(lost).toEqual([]);
    expect(decode(bytes, label)).toBe(text);
  });

  it('names each character that an encoding does not have once', () => {
    expect(encode('a港b港😀', 'windows-1252').lost).toEqual(['港', '😀']);
    expect(encode('😀', 'gbk').lost).toEqual(['😀']);
  });

  it('keeps a byte order mark', () => {
    expect([...encode('\ufeffa', 'utf-16le').bytes]).toEqual([0xff, 0xfe, 0x61, 0]);
    expect([...encode('\ufeffa', 'utf-8').bytes]).toEqual([0xef, 0xbb, 0xbf, 0x61]);
  });
});

describe('textOf', () => {
  it('notes how a text lies in its file', () => {
    const { text, bom, ending } = textOf(Uint8Array.of(0xef, 0xbb, 0xbf, 97, 13, 10, 98), 'e', 'utf-8');
    expect({ text, bom, ending }).toEqual({ text: 'a\r\nb', bom: true, ending: 'CRLF' });
  });
});

describe('diffLines', () => {
  it('marks what only one side has and leaves a little of what surrounds it', () => {
    const theirs = 'a\nb\nc\nd\ne\nf\ng\nh\ni';
    const mine = 'a\nb\nc\nd\nE\nnew\nf\ng\nh\ni';
    const lines = diffLines(theirs, mine).map((line) => `${line.in} ${line.text}`);
    expect(lines).toEqual([
      'both b',
      'both c',
      'both d',
      'theirs e',
      'mine E',
      'mine new',
      'both f',
      'both g',
      'both h',
    ]);
  });

  it('finds lines that stayed between two changes', () => {
    const lines = diffLines('one\nkept\ntwo', 'eins\nkept\nzwei');
    expect(lines.filter((line) => line.in === 'both').map(({ text }) => text)).toEqual(['kept']);
  });

  it('takes texts of different line ends for equal', () => {
    expect(diffLines('a\r\nb', 'a\nb').every((line) => line.in === 'both')).toBe(true);
  });
});

describe('placesOf', () => {
  it.each([
    [{ text: 'an', exact: false }, [1, 3, 8]],
    [{ text: 'AN', exact: true }, [8]],
    [{ text: '', exact: false }, []],
    [{ text: 'x', exact: false }, []],
  ])('%j', (finding, want) => {
    expect(placesOf('banana, ANd', finding)).toEqual(want);
  });

  it('does not lose its places behind a letter that grows when made small', () => {
    expect(placesOf('İx needle', { text: 'needle', exact: false })).toEqual([3]);
  });
});

describe('marksOf', () => {
  it('gives ranges of the text that the HTML was made from', () => {
    const html = '<span class="hljs-a">x &lt;<span class="hljs-b">&amp;</span></span> y';
    const marks = marksOf(html).map(({ from, to, value }) => [from, to, value.spec.class as string]);
    expect(marks).toEqual([
      [3, 4, 'hljs-b'],
      [0, 4, 'hljs-a'],
    ]);
  });
});
