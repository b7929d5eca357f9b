// The storage tells of a part only its MD5 (RFC 1321), which browsers do not offer. It proves that two parts
// are the same; it protects nothing.

const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const sines = Uint32Array.from({ length: 64 }, (_, at) => Math.abs(Math.sin(at + 1)) * 2 ** 32);

/** md5 is the sum of bytes as 32 hexadecimal digits. */
export function md5(bytes: Uint8Array): string {
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  const whole = bytes.length - (bytes.length % 64);
  const words = new Uint32Array(16);
  const block = (view: DataView, from: number) => {
    for (let at = 0; at < 16; at++) words[at] = view.getUint32(from + at * 4, true);
    mix(state, words);
  };
  const body = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let from = 0; from < whole; from += 64) block(body, from);

  const rest = bytes.subarray(whole);
  const end = new DataView(new ArrayBuffer(rest.length < 56 ? 64 : 128));
  rest.forEach((byte, at) => end.setUint8(at, byte));
  end.setUint8(rest.length, 0x80);
  end.setUint32(end.byteLength - 8, bytes.length << 3, true);
  end.setUint32(end.byteLength - 4, Math.floor(bytes.length / 2 ** 29), true);
  for (let from = 0; from < end.byteLength; from += 64) block(end, from);

  const sum = new DataView(new ArrayBuffer(16));
  state.forEach((word, at) => sum.setUint32(at * 4, word, true));
  return Array.from(new Uint8Array(sum.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function mix(state: Uint32Array, words: Uint32Array) {
  let [a = 0, b = 0, c = 0, d = 0] = state;
  for (let step = 0; step < 64; step++) {
    const round = step >> 4;
    let f: number;
    let word: number;
    if (round === 0) [f, word] = [(b & c) | (~b & d), step];
    else if (round === 1) [f, word] = [(d & b) | (~d & c), (5 * step + 1) % 16];
    else if (round === 2) [f, word] = [b ^ c ^ d, (3 * step + 5) % 16];
    else [f, word] = [c ^ (b | ~d), (7 * step) % 16];
    const sum = (a + f + (sines[step] ?? 0) + (words[word] ?? 0)) | 0;
    const by = shifts[round * 4 + (step % 4)] ?? 0;
    [a, d, c, b] = [d, c, b, (b + ((sum << by) | (sum >>> (32 - by)))) | 0];
  }
  state[0] = (state[0] ?? 0) + a;
  state[1] = (state[1] ?? 0) + b;
  state[2] = (state[2] ?? 0) + c;
  state[3] = (state[3] ?? 0) + d;
}
