import { decode, detectEncoding } from './encoding';
import { loadRange, readAtMost } from './loadText';
import type { Source } from './previewed';

/** ArchiveEntry is one file or folder of an archive. */
export interface ArchiveEntry {
  name: string;
  /** bytes, unpacked */
  size: number;
  folder: boolean;
}

/** ZipEntry is an entry of a ZIP file, with where it is. */
export interface ZipEntry extends ArchiveEntry {
  /** bytes it takes in the archive */
  packed: number;
  /** Where its own record begins, in bytes from the start of the file. */
  at: number;
  /** How it is packed: 0 not at all, 8 deflated, others as the format numbers them. */
  method: number;
  /** It opens with a password only. */
  locked: boolean;
}

/** Directory is where an archive lists what it holds, in bytes from the start of the file. */
interface Directory {
  from: number;
  to: number;
}

/** Bytes at the end of an archive in which its last record is found: the record and its longest comment. */
export const tailLength = 22 + 0xffff + 20 + 56;

const signatures = {
  local: 0x04034b50,
  entry: 0x02014b50,
  end: 0x06054b50,
  locator64: 0x07064b50,
  end64: 0x06064b50,
};
const unknown = 0xffffffff;

/** findDirectory reads the end of an archive of `size` bytes; undefined for anything that is none. */
export function findDirectory(tail: Uint8Array, size: number): Directory | undefined {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (view.getUint32(at, true) !== signatures.end) continue;
    let length = view.getUint32(at + 12, true);
    let from = view.getUint32(at + 16, true);
    if (from === unknown || length === unknown) {
      const wide = end64(view, at, size - tail.length);
      if (!wide) return undefined;
      [from, length] = wide;
    }
    return from + length <= size ? { from, to: from + length } : undefined;
  }
  return undefined;
}

// Archives over 4 GiB keep their figures in a second record before the last one.
function end64(view: DataView, at: number, base: number): [number, number] | undefined {
  const locator = at - 20;
  if (locator < 0 || view.getUint32(locator, true) !== signatures.locator64) return undefined;
  const record = Number(view.getBigUint64(locator + 8, true)) - base;
  if (record < 0 || record + 56 > view.byteLength || view.getUint32(record, true) !== signatures.end64)
    return undefined;
  return [Number(view.getBigUint64(record + 48, true)), Number(view.getBigUint64(record + 40, true))];
}

/** readDirectory lists the entries of a directory, at most `most`. Names without a mark are read as their bytes suggest. */
export function readDirectory(bytes: Uint8Array, language: string, most: number): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const raw: (Omit<ZipEntry, 'name' | 'folder'> & { bytes: Uint8Array; utf8: boolean })[] = [];
  for (let at = 0; at + 46 <= bytes.length && raw.length < most;) {
    if (view.getUint32(at, true) !== signatures.entry) break;
    const name = view.getUint16(at + 28, true);
    const rest = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    const flags = view.getUint16(at + 8, true);
    raw.push({
      bytes: bytes.subarray(at + 46, at + 46 + name),
      utf8: (flags & 0x800) !== 0,
      locked: (flags & 1) !== 0,
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    });
    at += 46 + name + rest;
  }
  const encoding = detectEncoding(
    joined(raw.filter((entry) => !entry.utf8).map((entry) => entry.bytes)),
    language,
  );
  return raw.map(({ bytes: name, utf8, ...entry }) => {
    const text = decode(name, utf8 ? 'utf-8' : encoding);
    return { ...entry, name: text, folder: text.endsWith('/') };
  });
}

/** Largest entry that a page unpacks, in bytes. */
const largestEntry = 100 << 20;

/** opens says whether unpack can unpack an entry. */
export const opens = ({ folder, locked, method, size, packed, at }: ZipEntry) =>
  !folder &&
  !locked &&
  (method === 0 || method === 8) &&
  Math.max(size, packed) <= largestEntry &&
  at !== unknown;

/** unpack fetches one entry of an archive, and nothing else of it. Rejects when it is not what the directory says. */
export async function unpack(source: Source, entry: ZipEntry, signal: AbortSignal): Promise<Blob> {
  const record = await loadRange(source, entry.at, 30, signal);
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  if (record.length < 30 || view.getUint32(0, true) !== signatures.local)
    throw new Error('no entry is there');
  if (entry.packed === 0) return new Blob([]);
  const from = entry.at + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  const packed = await loadRange(source, from, entry.packed, signal);
  const bytes = entry.method === 0 ? packed : await inflated(packed, entry.size);
  if (bytes.length !== entry.size) throw new Error('an entry of another size than its archive says');
  return new Blob([bytes]);
}

async function inflated(packed: Uint8Array<ArrayBuffer>, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Response(packed).body?.pipeThrough(new DecompressionStream('deflate-raw'));
  // One byte more than there should be tells what is larger than it says.
  return readAtMost(new Response(stream), size + 1);
}

function joined(pieces: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** What may be unpacked in a page: entries, bytes in all, and how many times more than the archive has. */
const bounds = { entries: 10_000, bytes: 200 << 20, ratio: 100 };

/** unpacksSafely says whether a whole archive may be unpacked in the page. */
export function unpacksSafely(archive: Uint8Array): boolean {
  const place = findDirectory(archive.subarray(-tailLength), archive.length);
  if (!place) return false;
  const entries = readDirectory(archive.subarray(place.from, place.to), '', bounds.entries + 1);
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  return (
    entries.length <= bounds.entries &&
    total <= bounds.bytes &&
    // Small ones may well be mostly blanks.
    (total <= 10 << 20 || total <= archive.length * bounds.ratio)
  );
}
