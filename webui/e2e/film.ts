// Small films made of real bytes: H.264 pictures whose blocks stand uncompressed (I_PCM), in FLV and in MPEG-TS. Every
// decoder must read them, and no encoder is needed.

/** Size of the pictures in pixels. */
export const film = { width: 64, height: 48, pictures: 20, perSecond: 10 } as const;

/** Bits collects a bit stream as H.264 writes it. */
class Bits {
  private readonly bytes: number[] = [];
  private used = 0;

  put(count: number, value: number): this {
    for (let bit = count - 1; bit >= 0; bit--) {
      if (this.used % 8 === 0) this.bytes.push(0);
      if ((value >> bit) & 1)
        this.bytes[this.bytes.length - 1] = (this.bytes.at(-1) ?? 0) | (0x80 >> (this.used % 8));
      this.used++;
    }
    return this;
  }

  /** golomb writes a number in as many bits as it needs. */
  golomb(...values: number[]): this {
    for (const value of values) {
      const length = 31 - Math.clz32(value + 1);
      this.put(length, 0).put(length + 1, value + 1);
    }
    return this;
  }

  align(): this {
    while (this.used % 8) this.put(1, 0);
    return this;
  }

  raw(value: number, count: number): this {
    for (let i = 0; i < count; i++) this.bytes.push(value);
    this.used += count * 8;
    return this;
  }

  /** unit ends the stream and gives it as a unit of the given kind, protected from looking like a start code. */
  unit(kind: number): Buffer {
    this.put(1, 1).align();
    const out = [kind];
    let zeros = 0;
    for (const byte of this.bytes) {
      if (zeros === 2 && byte <= 3) {
        out.push(3);
        zeros = 0;
      }
      out.push(byte);
      zeros = byte === 0 ? zeros + 1 : 0;
    }
    return Buffer.from(out);
  }
}

const blocks = { across: film.width / 16, down: film.height / 16 };

const sequence = new Bits()
  .put(8, 66) // baseline
  .put(8, 0xc0)
  .put(8, 30)
  .golomb(0, 0, 2, 1)
  .put(1, 0)
  .golomb(blocks.across - 1, blocks.down - 1)
  .put(4, 0b1100)
  .unit(0x67);

const parameters = new Bits()
  .golomb(0, 0)
  .put(2, 0)
  .golomb(0, 0, 0)
  .put(3, 0)
  .golomb(0, 0, 0)
  .put(3, 0b100)
  .unit(0x68);

/** picture is a whole one in one grey, which tells pictures apart. */
function picture(index: number): Buffer {
  const bits = new Bits()
    .golomb(0, 7, 0)
    .put(4, 0)
    .golomb(index % 2)
    .put(2, 0)
    .golomb(0, 1);
  for (let block = 0; block < blocks.across * blocks.down; block++)
    bits
      .golomb(25)
      .align()
      .raw(40 + index * 8, 256)
      .raw(100 + block, 64)
      .raw(150, 64);
  return bits.unit(0x65);
}

const pictures = Array.from({ length: film.pictures }, (_, index) => picture(index));

/** flv is the film as a .flv file. */
export function flv(): Buffer<ArrayBuffer> {
  const head = Buffer.from([0x46, 0x4c, 0x56, 1, 1, 0, 0, 0, 9, 0, 0, 0, 0]);
  const settings = Buffer.concat([
    Buffer.from([1, ...sequence.subarray(1, 4), 0xff, 0xe1]),
    sized(sequence, 2),
    Buffer.from([1]),
    sized(parameters, 2),
  ]);
  return Buffer.concat([
    head,
    videoTag(0, Buffer.concat([Buffer.from([0x17, 0, 0, 0, 0]), settings])),
    ...pictures.map((unit, index) =>
      videoTag(
        (index * 1000) / film.perSecond,
        Buffer.concat([Buffer.from([0x17, 1, 0, 0, 0]), sized(unit, 4)]),
      ),
    ),
    videoTag((film.pictures * 1000) / film.perSecond, Buffer.from([0x17, 2, 0, 0, 0])),
  ]);
}

function videoTag(milliseconds: number, body: Buffer): Buffer {
  const head = Buffer.alloc(11);
  head[0] = 9;
  head.writeUIntBE(body.length, 1, 3);
  head.writeUIntBE(milliseconds & 0xffffff, 4, 3);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(head.length + body.length);
  return Buffer.concat([head, body, tail]);
}

function sized(bytes: Buffer, width: number): Buffer {
  const length = Buffer.alloc(width);
  length.writeUIntBE(bytes.length, 0, width);
  return Buffer.concat([length, bytes]);
}

/** transport is the film as a .ts file. */
export function transport(): Buffer<ArrayBuffer> {
  const [listId, tableId, videoId] = [0, 0x1000, 0x100];
  const packets: Buffer[] = [];
  const counters = new Map<number, number>();
  const add = (id: number, payload: Buffer, clock?: number) => {
    for (let at = 0, first = true; at < payload.length; first = false) {
      const counter = counters.get(id) ?? 0;
      counters.set(id, (counter + 1) & 15);
      const timed = first && clock !== undefined;
      const left = payload.length - at;
      // What does not fill a packet is filled up before it.
      const room = 184 - (timed ? 8 : 0);
      const taken = Math.min(left, room);
      const packet = Buffer.alloc(188, 0xff);
      const extra = 184 - taken;
      packet.set([0x47, (first ? 0x40 : 0) | (id >> 8), id & 0xff, (extra > 0 ? 0x30 : 0x10) | counter]);
      if (extra > 0) packet[4] = extra - 1;
      if (extra > 1) packet[5] = timed ? 0x50 : 0;
      if (timed)
        packet.set([...Buffer.from((BigInt(clock) << 15n).toString(16).padStart(12, '0'), 'hex')], 6);
      payload.copy(packet, 188 - taken, at, at + taken);
      packets.push(packet);
      at += taken;
    }
  };
  add(listId, section(0, [0, 1, 0xe0 | (tableId >> 8), tableId & 0xff]));
  add(
    tableId,
    section(2, [
      0xe0 | (videoId >> 8),
      videoId & 0xff,
      0xf0,
      0,
      0x1b,
      0xe0 | (videoId >> 8),
      videoId & 0xff,
      0xf0,
      0,
    ]),
  );
  pictures.forEach((unit, index) => {
    const time = 90_000 + (index * 90_000) / film.perSecond;
    const start = Buffer.from([0, 0, 0, 1]);
    const head = Buffer.from([0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5, ...stamp(time)]);
    const divider = Buffer.from([0, 0, 0, 1, 9, 0x10]);
    add(videoId, Buffer.concat([head, divider, start, sequence, start, parameters, start, unit]), time);
  });
  return Buffer.concat(packets);
}

const stamp = (time: number) => [
  0x21 | ((time >> 29) & 0x0e),
  (time >> 22) & 0xff,
  ((time >> 14) & 0xfe) | 1,
  (time >> 7) & 0xff,
  ((time << 1) & 0xfe) | 1,
];

/** section is a table of a transport stream, with its checksum. */
function section(table: number, body: number[]): Buffer {
  const rest = [0, 1, 0xc1, 0, 0, ...body];
  const bytes = [table, 0xb0, rest.length + 4, ...rest];
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum < 0 ? 0x04c11db7 : 0);
  }
  const tail = Buffer.alloc(4);
  tail.writeInt32BE(sum | 0);
  return Buffer.concat([Buffer.from([0, ...bytes]), tail]);
}

/** list is an .m3u8 that names the whole film as its one piece. */
export const list = (piece: string) =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:2.0,\n${piece}\n#EXT-X-ENDLIST\n`;
