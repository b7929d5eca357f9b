/** Encodings of which a character takes one or two bytes, or more. */
const wide = new Set(['gb18030', 'gbk', 'gb2312', 'big5', 'shift_jis', 'euc-jp', 'euc-kr']);

/** Encoded is a text as bytes; `lost` are the characters that the encoding does not have. */
interface Encoded {
  bytes: Uint8Array<ArrayBuffer>;
  lost: string[];
}

/**
 * encode writes a text in an encoding that browsers can only read: the table is
 * made by reading all codes once. Characters that cannot be written are left out and named.
 */
export function encode(text: string, label: string): Encoded {
  if (label === 'utf-8') return { bytes: new TextEncoder().encode(text), lost: [] };
  if (label === 'utf-16le' || label === 'utf-16be') return { bytes: utf16(text, label), lost: [] };
  const table = tableOf(label);
  const bytes: number[] = [];
  const lost = new Set<string>();
  for (const character of text) {
    const code = table.get(character) ?? (label === 'gb18030' ? beyond(character) : undefined);
    if (code) for (const byte of code) bytes.push(byte);
    else lost.add(character);
  }
  return { bytes: Uint8Array.from(bytes), lost: [...lost] };
}

function utf16(text: string, label: 'utf-16le' | 'utf-16be'): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), label === 'utf-16le');
  return new Uint8Array(view.buffer);
}

type Table = ReadonlyMap<string, readonly number[]>;
const tables = new Map<string, Table>();

function tableOf(label: string): Table {
  const known = tables.get(label);
  if (known) return known;
  const decoder = new TextDecoder(label);
  const table = new Map<string, readonly number[]>();
  const learn = (...code: number[]) => {
    const text = decoder.decode(Uint8Array.from(code));
    if (text !== '\ufffd' && [...text].length === 1 && !table.has(text)) table.set(text, code);
  };
  for (let byte = 0; byte < 256; byte++) learn(byte);
  if (wide.has(label)) {
    for (let lead = 0x81; lead < 0xff; lead++) {
      for (let trail = 0x40; trail < 0xff; trail++) learn(lead, trail);
    }
  }
  if (label === 'euc-jp') {
    for (let lead = 0xa1; lead < 0xff; lead++) {
      for (let trail = 0xa1; trail < 0xff; trail++) learn(0x8f, lead, trail);
    }
  }
  if (label === 'gb18030') learnFours(decoder, table);
  tables.set(label, table);
  return table;
}

/** Codes of four bytes that stand for characters below U+10000. */
const fours = 39_420;

/** fourOf is the four-byte code with a number in the order of GB18030. */
const fourOf = (number: number) => [
  0x81 + Math.floor(number / 12_600),
  0x30 + (Math.floor(number / 1260) % 10),
  0x81 + (Math.floor(number / 10) % 126),
  0x30 + (number % 10),
];

function learnFours(decoder: TextDecoder, table: Map<string, readonly number[]>) {
  const all = new Uint8Array(fours * 4);
  for (let number = 0; number < fours; number++) all.set(fourOf(number), number * 4);
  [...decoder.decode(all)].forEach((character, number) => {
    if (!table.has(character)) table.set(character, fourOf(number));
  });
}

/** beyond is the code of a character from U+10000 on. */
function beyond(character: string): number[] | undefined {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x10000 ? undefined : fourOf(189_000 + code - 0x10000);
}
