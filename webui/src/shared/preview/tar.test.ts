import { afterEach, describe, expect, it, vi } from 'vitest';
import { served } from '../../testing/servedBytes';
import { listTar } from './tar';

const text = new TextEncoder();

interface Made {
  name: string;
  size?: number | undefined;
  type?: string;
  folder?: string;
  body?: Uint8Array;
}

function header({ name, size = 0, type = '0', folder = '' }: Made): Uint8Array {
  const bytes = new Uint8Array(512);
  bytes.set(text.encode(name).subarray(0, 100), 0);
  bytes.set(text.encode(size.toString(8).padStart(11, '0')), 124);
  bytes.set(text.encode(type), 156);
  bytes.set(text.encode('ustar\0' + '00'), 257);
  bytes.set(text.encode(folder), 345);
  bytes.fill(0x20, 148, 156);
  const sum = bytes.reduce((sum, byte) => sum + byte, 0);
  bytes.set(text.encode(`${sum.toString(8).padStart(6, '0')}\0 `), 148);
  return bytes;
}

/** archive packs entries; bodies are blanks where none is given. */
function archive(entries: Made[], end = 1024): Uint8Array<ArrayBuffer> {
  const pieces = entries.flatMap((entry) => {
    const size = entry.body?.length ?? entry.size ?? 0;
    const body = new Uint8Array(Math.ceil(size / 512) * 512);
    body.set(entry.body ?? []);
    return [header({ ...entry, size }), ...('12'.includes(entry.type ?? '0') ? [] : [body])];
  });
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, end));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

async function zipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Response(bytes).body?.pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function list(bytes: Uint8Array<ArrayBuffer>, packed = false, most = 100) {
  const asked = served(bytes);
  const listing = await listTar(
    { url: '/a.tar' },
    { size: bytes.length, packed, most, language: 'en-US' },
    new AbortController().signal,
  );
  return { ...listing, asked };
}

afterEach(() => vi.unstubAllGlobals());

const record = (key: string, value: string) => {
  const rest = text.encode(` ${key}=${value}\n`).length;
  return text.encode(`${rest + String(rest + 2).length} ${key}=${value}\n`);
};

const crew: Made[] = [
  { name: '港口/', type: '5' },
  { name: '港口/log.txt', size: 1000 },
  { name: 'log.txt', folder: 'deep/down', size: 3 },
];

const listed = [
  { name: '港口/', size: 0, folder: true },
  { name: '港口/log.txt', size: 1000, folder: false },
  { name: 'deep/down/log.txt', size: 3, folder: false },
];

describe('a TAR archive', () => {
  it('lists its entries', async () => {
    expect(await list(archive(crew))).toMatchObject({ entries: listed, cut: false });
  });

  it('lists them when gzip has packed it', async () => {
    expect(await list(await zipped(archive(crew)), true)).toMatchObject({ entries: listed, cut: false });
  });

  it('takes long names and sizes from the entries before', async () => {
    const long = `${'a'.repeat(150)}/船.txt`;
    const { entries } = await list(
      archive([
        { name: 'PaxHeader', type: 'x', body: record('path', long) },
        { name: 'short', size: 1 },
        { name: '././@LongLink', type: 'L', body: text.encode(`${long}2\0`) },
        { name: 'short', size: 2 },
        { name: 'link', type: '2', size: 5 },
        { name: 'last', size: 4 },
      ]),
    );
    expect(entries.map(({ name, size }) => [name, size])).toEqual([
      [long, 1],
      [`${long}2`, 2],
      ['link', 0],
      ['last', 4],
    ]);
  });

  it('is asked for its headers only', async () => {
    const { asked, entries } = await list(
      archive([
        { name: 'film.mp4', size: 5 << 20 },
        { name: 'end.txt', size: 1 },
      ]),
    );
    expect(entries).toHaveLength(2);
    expect(asked.bytes()).toBeLessThan(1 << 20);
  });

  it('lists no more than it is asked for, and says so', async () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ name: `${index}` }));
    const { entries, cut } = await list(archive(many), false, 5);
    expect(entries).toHaveLength(5);
    expect(cut).toBe(true);
  });

  it('may end without an end', async () => {
    expect(await list(archive(crew, 0))).toMatchObject({ entries: listed, cut: false });
  });

  it('is refused when it is none', async () => {
    await expect(list(text.encode('no archive'.repeat(100)))).rejects.toThrow('no header');
    await expect(list(text.encode('no gzip'.repeat(100)), true)).rejects.toThrow();
  });
});
