import { countLines } from './lines';

/** Encodings a reader can choose from: the WHATWG label and the name shown. */
export const encodings: readonly { label: string; name: string }[] = [
  { label: 'utf-8', name: 'UTF-8' },
  { label: 'utf-16le', name: 'UTF-16 LE' },
  { label: 'utf-16be', name: 'UTF-16 BE' },
  { label: 'gb18030', name: 'GB18030' },
  { label: 'gbk', name: 'GBK' },
  { label: 'gb2312', name: 'GB2312' },
  { label: 'big5', name: 'Big5' },
  { label: 'shift_jis', name: 'Shift_JIS' },
  { label: 'euc-jp', name: 'EUC-JP' },
  { label: 'euc-kr', name: 'EUC-KR' },
  { label: 'iso-8859-1', name: 'ISO-8859-1' },
  { label: 'iso-8859-2', name: 'ISO-8859-2' },
  { label: 'iso-8859-5', name: 'ISO-8859-5' },
  { label: 'iso-8859-6', name: 'ISO-8859-6' },
  { label: 'iso-8859-7', name: 'ISO-8859-7' },
  { label: 'iso-8859-8', name: 'ISO-8859-8' },
  { label: 'iso-8859-15', name: 'ISO-8859-15' },
  { label: 'windows-1250', name: 'Windows-1250' },
  { label: 'windows-1251', name: 'Windows-1251' },
  { label: 'windows-1252', name: 'Windows-1252' },
  { label: 'windows-1256', name: 'Windows-1256' },
  { label: 'koi8-r', name: 'KOI8-R' },
  { label: 'ascii', name: 'ASCII' },
];

/** encodingsFor puts what is most used where the reader's language is spoken first. */
export function encodingsFor(language: string): readonly { label: string; name: string }[] {
  if (!isChinese(language)) return encodings;
  const first = ['gb18030', 'utf-8', 'big5'].flatMap(
    (label) => encodings.find((one) => one.label === label) ?? [],
  );
  return [...first, ...encodings.filter((one) => !first.includes(one))];
}

const isChinese = (language: string) => language.toLowerCase().startsWith('zh');

/** decode never fails: what does not fit becomes U+FFFD. A byte order mark is dropped. */
export function decode(bytes: Uint8Array, label: string): string {
  return new TextDecoder(label).decode(bytes);
}

/**
 * detectEncoding reads the byte order mark, then tries UTF-8 strictly, then
 * looks for the zero bytes of UTF-16, and else takes what is usual where the
 * reader's language is spoken.
 */
export function detectEncoding(bytes: Uint8Array, language: string): string {
  return certainEncoding(bytes) ?? (isChinese(language) ? 'gb18030' : 'windows-1252');
}

/** Confidence below which statistics are not believed without a hint, of 100. */
const believed = 70;

/** Bytes that are looked at for a guess. */
const sampleSize = 64 << 10;

/**
 * guessEncoding is detectEncoding with statistics in place of habit: the
 * likeliest encoding by the bytes, and below 70 % by the letters of the file's
 * name and the reader's language, too.
 */
export async function guessEncoding(bytes: Uint8Array, filename: string, language: string): Promise<string> {
  const certain = certainEncoding(bytes);
  if (certain) return certain;
  const { analyse } = await import('chardet');
  const found = analyse(bytes.subarray(0, sampleSize)).flatMap(({ name, confidence }) => {
    const label = encodings.find((one) => one.label === name.toLowerCase())?.label;
    return label && label !== 'ascii' && !label.startsWith('utf-') ? [{ label, confidence }] : [];
  });
  const [best] = found;
  if (best && best.confidence >= believed) return best.label;
  const hints = [...hintsOf(filename), ...(isChinese(language) ? ['gb18030'] : [])];
  const hinted = hints.find((label) => found.some((one) => one.label === label));
  return hinted ?? best?.label ?? detectEncoding(bytes, language);
}

/** hintsOf names the encodings that go with the script of a file's name. */
function hintsOf(filename: string): string[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(filename)) return ['shift_jis', 'euc-jp'];
  if (/\p{Script=Hangul}/u.test(filename)) return ['euc-kr'];
  if (/\p{Script=Han}/u.test(filename)) return ['gb18030', 'big5'];
  if (/\p{Script=Cyrillic}/u.test(filename)) return ['windows-1251', 'koi8-r'];
  if (/\p{Script=Greek}/u.test(filename)) return ['iso-8859-7'];
  return [];
}

/** certainEncoding is what the bytes themselves prove; undefined when they prove nothing. */
function certainEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const wide = zeroSides(bytes);
  if (wide) return wide;
  return isUtf8(bytes) ? 'utf-8' : undefined;
}

// The end may be cut in the middle of a character, so it is read as a stream.
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

// Latin text in UTF-16 has a zero in every second byte.
function zeroSides(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const sample = bytes.subarray(0, 4096 & ~1);
  if (sample.length < 4) return null;
  let even = 0;
  let odd = 0;
  sample.forEach((byte, index) => {
    if (byte !== 0) return;
    if (index % 2 === 0) even++;
    else odd++;
  });
  const half = sample.length / 2;
  if (odd > half * 0.6 && even < half * 0.1) return 'utf-16le';
  if (even > half * 0.6 && odd < half * 0.1) return 'utf-16be';
  return null;
}

export type LineEnding = 'LF' | 'CRLF' | 'CR' | 'mixed';

/** TextFacts are what the status line of a text says. */
interface TextFacts {
  lines: number;
  characters: number;
  /** Runs of letters and digits, and each Chinese character. */
  words: number;
  lineEnding: LineEnding;
  /** More than 30 % of the first characters are control or replacement characters. */
  binary: boolean;
}

const ideograph = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const word = new RegExp(`[${ideograph}]|[^\\s\\p{P}\\p{S}${ideograph}]+`, 'gu');

export function textFacts(text: string): TextFacts {
  const crlf = text.match(/\r\n/g)?.length ?? 0;
  const cr = (text.match(/\r/g)?.length ?? 0) - crlf;
  const lf = (text.match(/\n/g)?.length ?? 0) - crlf;
  let characters = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0xdc00 || code > 0xdfff) characters++;
  }
  const words = text.match(word)?.length ?? 0;
  return {
    lines: countLines(text),
    characters,
    words,
    lineEnding: endingOf(lf, crlf, cr),
    binary: looksBinary(text),
  };
}

function endingOf(lf: number, crlf: number, cr: number): LineEnding {
  const kinds = [lf, crlf, cr].filter((count) => count > 0).length;
  if (kinds > 1) return 'mixed';
  if (crlf > 0) return 'CRLF';
  return cr > 0 ? 'CR' : 'LF';
}

function looksBinary(text: string): boolean {
  const sample = text.slice(0, 4096);
  // eslint-disable-next-line no-control-regex -- control characters are what is counted
  const odd = sample.match(/[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/g)?.length ?? 0;
  return sample.length > 0 && odd / sample.length > 0.3;
}
