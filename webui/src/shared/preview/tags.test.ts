import { describe, expect, it } from 'vitest';
import { noTags, readTags, tagSize } from './tags';

const latin = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
const wide = (value: number) => [value >>> 24, value >>> 16, value >>> 8, value].map((byte) => byte & 255);
const seven = (value: number) => [value >> 21, value >> 14, value >> 7, value].map((byte) => byte & 127);
const jpeg = [0xff, 0xd8, 0xff, 0xe0, 1, 2, 3];
const bytes = (...parts: number[][]) => new Uint8Array(parts.flat());

const frame = (version: number, id: string, content: number[], marks = 0) =>
  version === 2
    ? [...latin(id), ...wide(content.length).slice(1), ...content]
    : [...latin(id), ...(version === 4 ? seven : wide)(content.length), 0, marks, ...content];
const id3 = (version: number, flags: number, ...frames: number[][]) => {
  const body = [...frames.flat(), ...Array<number>(8).fill(0)];
  return bytes(latin('ID3'), [version, 0, flags], seven(body.length), body);
};
const apic = [0, ...latin('image/jpeg'), 0, 3, ...latin('front'), 0, ...jpeg];

async function told(file: Uint8Array<ArrayBuffer>) {
  const { title, artist, cover } = readTags(file);
  return { title, artist, type: cover?.type, size: cover?.size };
}

describe('readTags', () => {
  it.each([
    [
      'ID3v2.2',
      id3(2, 0, frame(2, 'TT2', [0, ...latin('Quay')]), frame(2, 'PIC', [0, ...latin('JPG'), 3, 0, ...jpeg])),
    ],
    ['ID3v2.3', id3(3, 0, frame(3, 'TIT2', [0, ...latin('Quay')]), frame(3, 'APIC', apic))],
    ['ID3v2.4', id3(4, 0, frame(4, 'TIT2', [3, ...latin('Quay')]), frame(4, 'APIC', apic))],
    [
      'a description in UTF-16',
      id3(
        3,
        0,
        frame(3, 'TIT2', [1, 0xff, 0xfe, ...[...'Quay'].flatMap((one) => [one.charCodeAt(0), 0])]),
        frame(3, 'APIC', [1, ...latin('image/jpeg'), 0, 3, 0xff, 0xfe, 0x56, 0, 0, 0, ...jpeg]),
      ),
    ],
    [
      'a length before the content',
      id3(
        4,
        0,
        frame(4, 'TIT2', [3, ...latin('Quay')]),
        frame(4, 'APIC', [...seven(apic.length), ...apic], 1),
      ),
    ],
  ])('reads title and cover of %s', async (_, file) => {
    expect(await told(file)).toEqual({ title: 'Quay', artist: '', type: 'image/jpeg', size: jpeg.length });
  });

  it('takes out what keeps bytes from looking like sound', async () => {
    const whole = frame(3, 'APIC', apic).flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte]));
    expect(await told(id3(3, 0x80, whole))).toMatchObject({ type: 'image/jpeg', size: jpeg.length });
  });

  it('reads Chinese names and joins several artists', async () => {
    const utf8 = [...new TextEncoder().encode('码头\0起重机')];
    expect(await told(id3(4, 0, frame(4, 'TPE1', [3, ...utf8])))).toMatchObject({ artist: '码头, 起重机' });
  });

  it('reads FLAC', async () => {
    const little = (value: number) => wide(value).reverse();
    const entry = (text: string) => [...little(text.length), ...latin(text)];
    const notes = [...little(0), ...little(2), ...entry('title=Quay'), ...entry('ARTIST=Crane')];
    const cover = [
      ...wide(3),
      ...wide(9),
      ...latin('image/png'),
      ...wide(0),
      ...Array<number>(16).fill(0),
      ...wide(jpeg.length),
      ...jpeg,
    ];
    const block = (kind: number, content: number[]) => [kind, ...wide(content.length).slice(1), ...content];
    const file = bytes(latin('fLaC'), block(4, notes), block(0x86, cover));
    expect(await told(file)).toEqual({
      title: 'Quay',
      artist: 'Crane',
      type: 'image/jpeg',
      size: jpeg.length,
    });
    expect(tagSize(file)).toBe(file.length);
  });

  it('leaves out what is broken, cut, packed or no picture', async () => {
    expect(readTags(new Uint8Array())).toEqual(noTags);
    expect(readTags(bytes(latin('RIFF....WAVE')))).toEqual(noTags);
    const whole = id3(3, 0, frame(3, 'TIT2', [0, ...latin('Quay')]), frame(3, 'APIC', apic));
    expect(await told(whole.slice(0, 40))).toMatchObject({ title: 'Quay', type: undefined });
    expect(await told(id3(3, 0, frame(3, 'APIC', apic, 0x80)))).toMatchObject({ type: undefined });
    const html = [0, ...latin('text/html'), 0, 3, 0, ...latin('<script>')];
    expect(await told(id3(3, 0, frame(3, 'APIC', html)))).toMatchObject({ type: undefined });
  });
});
