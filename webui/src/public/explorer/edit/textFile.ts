import { ApiError } from '../../../api/client';
import { putFile, readFile, saveText } from '../../../api/fs';
import { decode, detectEncoding, textFacts, type LineEnding } from '../../../shared/preview/encoding';
import { longestText } from '../entries';
import { encode } from './encode';

/** TextForm is how a text lies in its file; saving keeps it. */
interface TextForm {
  encoding: string;
  /** bom says that the file begins with a byte order mark. */
  bom: boolean;
  ending: LineEnding;
}

/** TextFile is a text as it was read. */
export interface TextFile extends TextForm {
  text: string;
  /** etag without quotes; "" when the storage has none. */
  etag: string;
  bytes: Uint8Array;
}

/** lineBreaks are what separates lines; in a mixed text every other break stays a character of its line. */
export const lineBreaks: Record<LineEnding, string> = { LF: '\n', CRLF: '\r\n', CR: '\r', mixed: '\n' };

/** readText reads a file for editing, in the encoding given or the one it seems to have. */
export async function readText(path: string, language: string, signal?: AbortSignal): Promise<TextFile> {
  const { bytes, etag } = await readFile(path, signal);
  return textOf(bytes, etag, detectEncoding(bytes, language));
}

/** textOf decodes bytes. */
export function textOf(bytes: Uint8Array, etag: string, encoding: string): TextFile {
  const text = decode(bytes, encoding);
  return { text, etag, bytes, encoding, bom: hasMark(bytes), ending: textFacts(text).lineEnding };
}

const hasMark = ([first, second, third]: Uint8Array) =>
  (first === 0xef && second === 0xbb && third === 0xbf) ||
  (first === 0xff && second === 0xfe) ||
  (first === 0xfe && second === 0xff);

/** A text that cannot be saved as it is: too long, or with characters that its encoding does not have. */
export class Unsavable extends Error {
  constructor(
    readonly reason: 'long' | 'characters',
    /** lost are the characters. */
    readonly lost: readonly string[] = [],
  ) {
    super(reason);
  }
}

/**
 * writeText saves a text in its form and answers the new entity tag. With an
 * `etag` it is saved only over the version that has it; "new" saves only where
 * nothing is. Throws Unsavable, and ApiError with status 412 when somebody else was faster.
 */
export async function writeText(path: string, text: string, form: TextForm, etag: string): Promise<string> {
  const whole = (form.bom ? '\ufeff' : '') + text;
  const { bytes, lost } = encode(whole, form.encoding);
  if (lost.length > 0) throw new Unsavable('characters', lost);
  if (bytes.length > longestText) throw new Unsavable('long');
  const saved =
    form.encoding === 'utf-8' && etag !== 'new'
      ? await saveText(path, whole, etag)
      : await putFile(path, bytes, etag);
  return saved.etag ?? '';
}

/** isOvertaken says that a text was not saved because the file is another one by now. */
export const isOvertaken = (error: unknown) => error instanceof ApiError && error.status === 412;
