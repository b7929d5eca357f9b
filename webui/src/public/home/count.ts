/** Sizes of a text as people and the server count them. */
interface Counts {
  characters: number;
  /** words; undefined for texts so long that counting them would hold up typing. */
  words: number | undefined;
  lines: number;
  /** bytes in UTF-8, which is what the server's limit is about. */
  bytes: number;
}

/** Most bytes of a paste (§9). */
export const contentLimit = 10 * 1024 * 1024;

// A Chinese, Japanese or Korean character counts as a word, as word processors do.
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{N}_'’-])+/gu;

// Longest text, in UTF-16 units, whose words are counted.
const countedWords = 1_000_000;

export function countText(text: string): Counts {
  let characters = 0;
  let lines = text === '' ? 0 : 1;
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length) {
      at++;
      bytes += 4;
    } else {
      bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
      if (unit === 10) lines++;
    }
    characters++;
  }
  return { characters, words: text.length > countedWords ? undefined : countWords(text), lines, bytes };
}

function countWords(text: string): number {
  let words = 0;
  for (const found of text.matchAll(word)) words += found.length;
  return words;
}

/** byteLength is the size of a text in UTF-8. */
export const byteLength = (text: string): number => new Blob([text]).size;
