import { Tokenizer, type TokenizerObject, type Tokens } from 'marked';

// CommonMark decides by the characters on both sides whether a run of stars
// may open or close emphasis, and counts the full stops and brackets of
// Chinese as punctuation. Chinese puts no blank after them, so the closer of
// "**这样。**后文" is not one. Here such signs count as letters, and a Chinese
// letter beside a run allows both.

const cjk =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u;
const punctuation = /[\p{P}\p{S}]/u;
const white = /\s/u;

/** Sides says what a run of marks may do between two characters. */
interface Sides {
  opens: boolean;
  closes: boolean;
}

function isWhite(char: string): boolean {
  return char === '' || white.test(char);
}

function strictSides(before: string, after: string): Sides {
  const wordBefore = !isWhite(before) && !punctuation.test(before);
  const wordAfter = !isWhite(after) && !punctuation.test(after);
  return {
    opens: !isWhite(after) && (wordAfter || !wordBefore),
    closes: !isWhite(before) && (wordBefore || !wordAfter),
  };
}

function friendlySides(before: string, after: string): Sides {
  const hard = (char: string) => punctuation.test(char) && !cjk.test(char);
  return {
    opens: !isWhite(after) && (!hard(after) || isWhite(before) || hard(before) || cjk.test(before)),
    closes: !isWhite(before) && (!hard(before) || isWhite(after) || hard(after) || cjk.test(after)),
  };
}

function sameSides(a: Sides, b: Sides): boolean {
  return a.opens === b.opens && a.closes === b.closes;
}

function charBefore(text: string, at: number): string {
  return [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
}

function charAfter(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

interface Match {
  /** Length of the whole match, marks included. */
  length: number;
  /** Number of marks used on each side. */
  marks: number;
}

/**
 * matchRun finds the pair that the rule for Chinese sees and the strict rule
 * does not. Null means: nothing to correct, leave it to marked.
 */
function matchRun(src: string, masked: string, mark: string): Match | null {
  const start = masked.length - src.length;
  let opening = 0;
  while (src[opening] === mark) opening++;
  if (opening === 0 || opening > 3 || masked[start - 1] === mark) return null;

  const before = charBefore(masked, start);
  const after = charAfter(src, opening);
  if (!friendlySides(before, after).opens) return null;
  let strict = strictSides(before, after).opens;

  let depth = opening;
  for (let at = start + opening; at < masked.length;) {
    if (masked[at] !== mark) {
      at++;
      continue;
    }
    let end = at;
    while (masked[end] === mark) end++;
    const run = end - at;
    const left = charBefore(masked, at);
    const right = charAfter(masked, end);
    const sides = friendlySides(left, right);
    strict &&= sameSides(sides, strictSides(left, right));
    // CommonMark's rule of three: such a pair would leave the wrong marks over.
    if (sides.opens && sides.closes && opening % 3 !== 0 && (opening + run) % 3 === 0) {
      at = end;
      continue;
    }
    if (sides.closes && (mark !== '~' || run === opening)) {
      depth -= run;
      if (depth <= 0) {
        if (strict) return null;
        const marks = Math.min(opening, run);
        const skipped = opening - marks;
        return skipped > 0 ? null : { length: at - start + marks, marks };
      }
    } else if (sides.opens) {
      depth += run;
    }
    at = end;
  }
  return null;
}

// A bare link ends where Chinese punctuation begins.
const endsLink = /[\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65“”‘’]/u;

/** cjkTokenizer corrects emphasis, strike and bare links in Chinese text. */
export const cjkTokenizer: TokenizerObject = {
  emStrong(src, maskedSrc): Tokens.Em | Tokens.Strong | undefined | false {
    if (!src.startsWith('*')) return false;
    const match = matchRun(src, maskedSrc, '*');
    if (!match) return false;
    const raw = src.slice(0, match.length);
    if (match.marks % 2 === 1) {
      const text = raw.slice(1, -1);
      return { type: 'em', raw, text, tokens: this.lexer.inlineTokens(text) };
    }
    const text = raw.slice(2, -2);
    return { type: 'strong', raw, text, tokens: this.lexer.inlineTokens(text) };
  },

  del(src, maskedSrc): Tokens.Del | undefined | false {
    if (!src.startsWith('~')) return false;
    const match = matchRun(src, maskedSrc, '~');
    if (!match || match.marks > 2) return false;
    const raw = src.slice(0, match.length);
    const text = raw.slice(match.marks, -match.marks);
    return { type: 'del', raw, text, tokens: this.lexer.inlineTokens(text) };
  },

  url(src): Tokens.Link | undefined | false {
    const end = src.search(/\s/u);
    const candidate = end < 0 ? src : src.slice(0, end);
    const cut = candidate.search(endsLink);
    if (cut <= 0) return false;
    return Tokenizer.prototype.url.call(this, src.slice(0, cut));
  },
};
