import type { Dialect } from './dialect';

// Footnotes, ==marks==, [TOC], formulas, and every character from the typographic quotes on, which holds all Chinese.
// Not case-insensitive: a "k" would be the sign of kelvin then, which stands among those.
const beyond = /\[\^|==|\[[Tt][Oo][Cc]\]|\$|\\[[(]|[\u2018-\u{10ffff}]/u;

let makeDialect: (() => Dialect) | undefined;

/** dialectOf fetches what makes the additions to Markdown, for a text that may use one of them. */
export async function dialectOf(text: string): Promise<(() => Dialect) | undefined> {
  if (!beyond.test(text)) return undefined;
  return (makeDialect ??= (await import('./dialect')).makeDialect);
}
