import { decode, detectEncoding } from './encoding';
import { loadRange, TextError } from './loadText';
import type { Source } from './previewed';
import type { ArchiveEntry } from './zip';

const block = 512;

/** Bytes that one request fetches of an archive that is not packed. */
const window = 256 << 10;

/** Most requests for such an archive, and most bytes that are unpacked of another one. */
const mostRequests = 100;
const mostUnpacked = 1 << 30;

/** Longest name that an entry of its own may give, in bytes. */
const longestName = 64 << 10;

/** Listing is what an archive holds; `cut` says that it holds more than was looked at. */
export interface Listing {
  entries: ArchiveEntry[];
  cut: boolean;
}

/** Reader reads a file from its beginning. */
interface Reader {
  /** take returns the next bytes; fewer at the end of the file. */
  take: (length: number) => Promise<Uint8Array>;
  /** skip leaves out bytes. */
  skip: (length: number) => Promise<void>;
  /** tired says that no more should be read. */
  tired: () => boolean;
}

/**
 * listTar lists a TAR archive of `size` bytes, at most `most` entries. Of one
 * that is packed by gzip everything before the last of them is fetched; of
 * another one only what stands around its headers. Rejects for what is none.
 */
export async function listTar(
  source: Source,
  { size, packed, most, language }: { size: number; packed: boolean; most: number; language: string },
  signal: AbortSignal,
): Promise<Listing> {
  if (!packed) return entriesOf(windows(source, size, signal), most, language);
  const leave = new AbortController();
  try {
    const reader = await unpacked(source, AbortSignal.any([signal, leave.signal]));
    return await entriesOf(reader, most, language);
  } finally {
    leave.abort();
  }
}

async function entriesOf(reader: Reader, most: number, language: string): Promise<Listing> {
  const found: { name: Uint8Array; size: number; folder: boolean }[] = [];
  let next: { name?: Uint8Array; size?: number } = {};
  let ended = false;
  while (found.length < most && !reader.tired()) {
    const header = await reader.take(block);
    ended = header.length < block || header.every((byte) => byte === 0);
    if (ended) break;
    if (!sumIsRight(header)) throw new Error('no header of an archive');
    const type = String.fromCharCode(header[156] ?? 0);
    const size = numberOf(header.subarray(124, 136));
    if ('xL'.includes(type) && size <= longestName) {
      const body = await reader.take(padded(size));
      const told =
        type === 'x' ? records(body.subarray(0, size)) : { name: untilZero(body.subarray(0, size)) };
      next = { ...next, ...told };
      continue;
    }
    // Links have no content, whatever they say; what is said of all entries is no entry.
    const length = next.size ?? ('12'.includes(type) ? 0 : size);
    if (!'gxKL'.includes(type)) {
      found.push({ name: next.name ?? nameOf(header), size: length, folder: type === '5' });
      next = {};
    }
    await reader.skip(padded(length));
  }
  const encoding = detectEncoding(
    new Uint8Array(found.slice(0, 200).flatMap(({ name }) => [...name.subarray(0, 200)])),
    language,
  );
  return {
    entries: found.map(({ name, ...entry }) => ({ ...entry, name: decode(name, encoding) })),
    cut: !ended,
  };
}

const padded = (length: number) => Math.ceil(length / block) * block;

const untilZero = (bytes: Uint8Array) => {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
};

/** nameOf is the name in a header, after what POSIX.1-1988 puts before it. */
function nameOf(header: Uint8Array): Uint8Array {
  const name = untilZero(header.subarray(0, 100));
  const ustar = String.fromCharCode(...header.subarray(257, 263)) === 'ustar\0';
  const folder = ustar ? untilZero(header.subarray(345, 500)) : new Uint8Array();
  return folder.length > 0 ? new Uint8Array([...folder, 0x2f, ...name]) : name;
}

/** numberOf reads a size: octal digits, or, as GNU has it, the bytes of the number behind a mark. */
function numberOf(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) === 0)
    return parseInt(String.fromCharCode(...untilZero(field)).trim(), 8) || 0;
  const value = field.subarray(4).reduce((sum, byte) => sum * 256 + byte, 0);
  return Number.isSafeInteger(value) ? value : 0;
}

function sumIsRight(header: Uint8Array): boolean {
  const sum = header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  return sum === numberOf(header.subarray(148, 156));
}

/** records reads what an extended header (POSIX.1-2001) tells of the entry behind it: "length key=value" by lines. */
function records(body: Uint8Array): { name?: Uint8Array; size?: number } {
  const told: { name?: Uint8Array; size?: number } = {};
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at);
    const length = Number(String.fromCharCode(...body.subarray(at, Math.max(at, space))));
    if (space < 0 || !Number.isInteger(length) || length < 5) break;
    const line = body.subarray(space + 1, at + length - 1);
    const equals = line.indexOf(0x3d);
    const key = String.fromCharCode(...line.subarray(0, Math.max(0, equals)));
    const value = line.subarray(equals + 1);
    if (key === 'path') told.name = value;
    const size = Number(String.fromCharCode(...value.subarray(0, 20)));
    if (key === 'size' && Number.isSafeInteger(size) && size >= 0) told.size = size;
    at += length;
  }
  return told;
}

/** windows reads a file by ranges, and leaves out what is skipped. */
function windows(source: Source, size: number, signal: AbortSignal): Reader {
  let at = 0;
  let held = { from: 0, bytes: new Uint8Array() };
  let requests = 0;
  const take = async (length: number) => {
    const end = Math.min(at + length, size);
    if (at < held.from || end > held.from + held.bytes.length) {
      requests++;
      const most = Math.min(Math.max(window, length), size - at);
      held = { from: at, bytes: most > 0 ? await loadRange(source, at, most, signal) : new Uint8Array() };
    }
    const piece = held.bytes.subarray(at - held.from, end - held.from);
    at = end;
    return piece;
  };
  return {
    take,
    skip: (length) => Promise.resolve(void (at += length)),
    tired: () => requests >= mostRequests,
  };
}

/** unpacked reads what a file holds that is packed by gzip. */
async function unpacked({ url, headers = {} }: Source, signal: AbortSignal): Promise<Reader> {
  const response = await fetch(url, { signal, headers, referrerPolicy: 'no-referrer' });
  if (!response.ok || !response.body) throw new TextError(response.status);
  const reader = response.body.pipeThrough(new DecompressionStream('gzip')).getReader();
  let held = new Uint8Array();
  let read = 0;
  const more = async () => {
    const { done, value } = await reader.read();
    held = value ?? new Uint8Array();
    read += held.length;
    return !done;
  };
  const each = async (length: number, onPiece: (piece: Uint8Array, at: number) => void) => {
    let at = 0;
    while (at < length && read < mostUnpacked) {
      if (held.length === 0 && !(await more())) break;
      const piece = held.subarray(0, length - at);
      onPiece(piece, at);
      at += piece.length;
      held = held.subarray(piece.length);
    }
    return at;
  };
  return {
    take: async (length) => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, await each(length, (piece, at) => bytes.set(piece, at)));
    },
    skip: async (length) => void (await each(length, () => undefined)),
    tired: () => read >= mostUnpacked,
  };
}
