import { extensionOf } from './kind';
import { loadText } from './loadText';
import type { Source } from './previewed';

/** Tags are what a sound says of itself. */
interface Tags {
  title: string;
  artist: string;
  /** cover is a picture inside of the file. */
  cover: Blob | undefined;
}

/** Bytes that are fetched first; most tags without a picture end before. */
const first = 16 << 10;

/** Longest tag that is read, in bytes, its picture included. */
const longest = 2 << 20;

export const noTags: Tags = { title: '', artist: '', cover: undefined };

/** mayHaveTags says whether sounds with such a name can hold what is read here. */
export const mayHaveTags = (filename: string) => /^(mp3|flac|aac|wav)$/.test(extensionOf(filename));

/** loadTags reads the tags at the beginning of a sound: ID3v2, or the blocks of FLAC. */
export async function loadTags(source: Source, signal: AbortSignal): Promise<Tags> {
  const beginning = await loadText(source, first, signal);
  const size = Math.min(tagSize(beginning), longest);
  return readTags(size > beginning.length ? await loadText(source, size, signal) : beginning);
}

/** tagSize is how many bytes from the beginning on have to be known; 0 for a file without tags. */
export function tagSize(bytes: Uint8Array): number {
  if (startsWith(bytes, 'ID3') && bytes.length >= 10) return 10 + sevenBits(bytes, 6);
  if (!startsWith(bytes, 'fLaC')) return 0;
  let end = 4;
  for (let last = false; !last && end + 4 <= bytes.length;) {
    last = ((bytes[end] ?? 0) & 0x80) !== 0;
    end += 4 + number(bytes, end + 1, 3);
  }
  // The blocks that follow one that lies beyond these bytes are not looked for.
  return end;
}

/** readTags reads what the bytes hold; what is broken or unknown is left out. */
export function readTags(bytes: Uint8Array<ArrayBuffer>): Tags {
  if (startsWith(bytes, 'ID3')) return fromId3(bytes);
  if (startsWith(bytes, 'fLaC')) return fromFlac(bytes);
  return noTags;
}

function fromId3(bytes: Uint8Array<ArrayBuffer>): Tags {
  const version = bytes[3] ?? 0;
  const flags = bytes[5] ?? 0;
  let body = bytes.subarray(10, tagSize(bytes));
  if (version < 4 && flags & 0x80) body = synchronised(body);
  const [idLength, headLength] = version === 2 ? [3, 6] : [4, 10];
  let at = 0;
  if (version > 2 && flags & 0x40) at = version === 4 ? sevenBits(body, 0) : 4 + number(body, 0, 4);
  const tags = { ...noTags };
  while (at + headLength <= body.length && body[at] !== 0) {
    const id = latin(body.subarray(at, at + idLength));
    const size =
      version === 2
        ? number(body, at + 3, 3)
        : version === 4
          ? sevenBits(body, at + 4)
          : number(body, at + 4, 4);
    const marks = version === 2 ? 0 : (body[at + 9] ?? 0);
    const from = at + headLength;
    at = from + size;
    if (size <= 0 || at > body.length) break;
    const content = contentOf(body.subarray(from, at), version, marks);
    if (!content) continue;
    if (id === 'TIT2' || id === 'TT2') tags.title = textOf(content);
    if (id === 'TPE1' || id === 'TP1') tags.artist = textOf(content);
    if (id === 'APIC') tags.cover ??= pictureOf(content, content.indexOf(0, 1) + 2);
    if (id === 'PIC') tags.cover ??= pictureOf(content, 5);
  }
  return tags;
}

/** contentOf is what a frame holds; undefined when it is packed or locked. */
function contentOf(frame: Uint8Array<ArrayBuffer>, version: number, marks: number) {
  if (version === 3 && marks & 0xc0) return undefined;
  if (version !== 4) return frame;
  if (marks & 0x0c) return undefined;
  const plain = marks & 0x01 ? frame.subarray(4) : frame;
  return marks & 0x02 ? synchronised(plain) : plain;
}

/** pictureOf is the picture of a frame whose description begins at a byte; the kind is told by the picture itself. */
function pictureOf(content: Uint8Array<ArrayBuffer>, from: number): Blob | undefined {
  const wide = content[0] === 1 || content[0] === 2;
  let end = from;
  if (wide) while (end + 1 < content.length && (content[end] !== 0 || content[end + 1] !== 0)) end += 2;
  else while (end < content.length && content[end] !== 0) end++;
  return picture(content.subarray(end + (wide ? 2 : 1)));
}

function fromFlac(bytes: Uint8Array<ArrayBuffer>): Tags {
  const tags = { ...noTags };
  for (let at = 4, last = false; !last && at + 4 <= bytes.length;) {
    const kind = (bytes[at] ?? 0) & 0x7f;
    last = ((bytes[at] ?? 0) & 0x80) !== 0;
    const block = bytes.subarray(at + 4, at + 4 + number(bytes, at + 1, 3));
    at += 4 + number(bytes, at + 1, 3);
    if (at > bytes.length) break;
    if (kind === 4) Object.assign(tags, comments(block));
    if (kind !== 6) continue;
    const description = 8 + number(block, 4, 4);
    const data = description + 4 + number(block, description, 4) + 16;
    tags.cover ??= picture(block.subarray(data + 4, data + 4 + number(block, data, 4)));
  }
  return tags;
}

/** comments reads TITLE and ARTIST of a Vorbis comment, whose numbers begin with their smallest part. */
function comments(block: Uint8Array<ArrayBuffer>): Partial<Tags> {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const found: Partial<Tags> = {};
  if (block.length < 8) return found;
  let at = 4 + view.getUint32(0, true) + 4;
  while (at + 4 <= block.length) {
    const end = at + 4 + view.getUint32(at, true);
    if (end > block.length) break;
    const [, name, value = ''] =
      /^(TITLE|ARTIST)=(.*)$/is.exec(decodeAs('utf-8', block.subarray(at + 4, end))) ?? [];
    if (name?.toUpperCase() === 'TITLE') found.title ??= value;
    if (name?.toUpperCase() === 'ARTIST') found.artist ??= value;
    at = end;
  }
  return found;
}

const kinds: readonly (readonly [begins: readonly number[], type: string])[] = [
  [[0xff, 0xd8, 0xff], 'image/jpeg'],
  [[0x89, 0x50, 0x4e, 0x47], 'image/png'],
  [[0x47, 0x49, 0x46, 0x38], 'image/gif'],
  [[0x52, 0x49, 0x46, 0x46], 'image/webp'],
];

function picture(bytes: Uint8Array<ArrayBuffer>): Blob | undefined {
  const type = kinds.find(([begins]) => begins.every((byte, at) => bytes[at] === byte))?.[1];
  return type === undefined ? undefined : new Blob([bytes], { type });
}

function textOf(content: Uint8Array): string {
  const encoding = ['windows-1252', 'utf-16', 'utf-16be', 'utf-8'][content[0] ?? 0] ?? 'utf-8';
  const bytes = content.subarray(1);
  const bigEnded = encoding === 'utf-16' && bytes[0] === 0xfe && bytes[1] === 0xff;
  const text = decodeAs(bigEnded ? 'utf-16be' : encoding, bytes);
  // Several values are parted by a zero.
  return text.replace(/\0+$/, '').replaceAll('\0', ', ').trim();
}

const decodeAs = (encoding: string, bytes: Uint8Array) => new TextDecoder(encoding).decode(bytes);
const latin = (bytes: Uint8Array) => String.fromCharCode(...bytes);
const startsWith = (bytes: Uint8Array, text: string) => latin(bytes.subarray(0, text.length)) === text;

/** number reads bytes as one number. */
function number(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = 0; i < length; i++) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}

/** sevenBits reads four bytes of seven bits each. */
function sevenBits(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = 0; i < 4; i++) value = value * 128 + ((bytes[at + i] ?? 0) & 0x7f);
  return value;
}

/** synchronised takes out the zeros that keep bytes from looking like the beginning of sound. */
function synchronised(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const plain = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    plain[length++] = bytes[at] ?? 0;
    if (bytes[at] === 0xff && bytes[at + 1] === 0) at++;
  }
  return plain.subarray(0, length);
}
