import type { Source } from './previewed';

/** Longest text that is shown whole, in bytes. */
export const longestText = 10 << 20;

/** What is shown of a longer one, in bytes. */
export const firstPart = 1 << 20;

/** TextError is a text that could not be fetched. */
export class TextError extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number;

  constructor(status: number) {
    super(`text: status ${status}`);
    this.name = 'TextError';
    this.status = status;
  }
}

/**
 * loadText fetches a text's bytes, at most `most` of them. It stops reading
 * there even when the server sends more than it was asked for.
 */
export const loadText = (source: Source, most: number, signal: AbortSignal) =>
  loadRange(source, 0, most, signal);

/** loadRange is loadText from another byte on; the server must know ranges when `from` is not 0. */
export async function loadRange(
  { url, headers = {} }: Source,
  from: number,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  let response: Response;
  try {
    response = await fetch(url, {
      signal,
      headers: { ...headers, Range: `bytes=${from}-${from + most - 1}` },
      referrerPolicy: 'no-referrer',
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new TextError(error instanceof TextError ? error.status : 0);
  }
  // An empty file has no byte 0 to begin a range with.
  if (response.status === 416) return new Uint8Array();
  if (!response.ok || (from > 0 && response.status !== 206)) throw new TextError(response.status);
  return readAtMost(response, most);
}

/** readAtMost reads the first `most` bytes of an answer and lets go of the rest. */
export async function readAtMost(response: Response, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array(await response.arrayBuffer()).subarray(0, most);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.length;
    if (length >= most) {
      await reader.cancel();
      break;
    }
  }
  const bytes = new Uint8Array(Math.min(length, most));
  let at = 0;
  for (const piece of pieces) {
    const part = piece.subarray(0, bytes.length - at);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
