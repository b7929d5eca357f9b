import { readStoredJson, writeStored } from '../../config';

const key = 'pp.announcements';
/** How many dismissed announcements are remembered. */
const kept = 7;

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

/** digest is SHA-256; over plain http, where there is none, the text stands for itself. */
async function digest(text: string): Promise<string> {
  const subtle = (crypto as Partial<Crypto>).subtle;
  if (!subtle) return text;
  const sum = await subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** dismissed says whether the reader does not want to see this announcement again. */
export async function dismissed(text: string): Promise<boolean> {
  return (readStoredJson(key, isList) ?? []).includes(await digest(text));
}

/** dismiss remembers that, for the last few announcements. */
export async function dismiss(text: string): Promise<void> {
  const sum = await digest(text);
  const others = (readStoredJson(key, isList) ?? []).filter((other) => other !== sum);
  writeStored(key, JSON.stringify([sum, ...others].slice(0, kept)));
}
