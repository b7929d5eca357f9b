import type { MarkedExtension, Token, TokenizerAndRendererExtension } from 'marked';
import { cjkTokenizer } from './cjk';

/** Dialect is what one text may use beyond GitHub's Markdown. It remembers footnotes, so each text needs its own. */
export interface Dialect {
  extension: MarkedExtension;
  /** end renders what stands below the text: its footnotes. */
  end(render: (tokens: Token[]) => string): string;
}

/** makeDialect makes a dialect: marked text, a list of contents, formulas, footnotes, Chinese punctuation. */
export function makeDialect(): Dialect {
  const footnotes = collectFootnotes();
  return {
    extension: {
      tokenizer: cjkTokenizer,
      extensions: [highlightMark, contentsMarker, formulaBlock, formula, ...footnotes.extensions],
    },
    end: footnotes.list,
  };
}

/**
 * inParagraph looks for the start of a block in the paragraph at hand. The parser asks at every paragraph, and a search
 * through all that follows would make long texts slow out of proportion.
 */
function inParagraph(src: string, block: RegExp): number | undefined {
  const end = src.search(/\n[ \t]*\n/);
  return block.exec(end < 0 ? src : src.slice(0, end))?.index;
}

/** ==marked== text. */
const highlightMark: TokenizerAndRendererExtension = {
  name: 'mark',
  level: 'inline',
  start: (src) => src.indexOf('=='),
  tokenizer(src) {
    const match = /^==(?=[^\s=])([^\n]*?[^\s=])==(?!=)/.exec(src);
    if (!match) return undefined;
    const text = match[1] ?? '';
    return { type: 'mark', raw: match[0], text, tokens: this.lexer.inlineTokens(text) };
  },
  renderer(token) {
    return `<mark>${this.parser.parseInline(token.tokens ?? [])}</mark>`;
  },
};

/** A paragraph of [TOC] or [[toc]] holds the place of the contents list. */
const contentsMarker: TokenizerAndRendererExtension = {
  name: 'contents',
  level: 'block',
  start: (src) => inParagraph(src, /^\[(?:toc|\[toc\])\][ \t]*$/im),
  tokenizer(src) {
    const match = /^\[(?:toc|\[toc\])\][ \t]*(?:\n+|$)/i.exec(src);
    return match ? { type: 'contents', raw: match[0] } : undefined;
  },
  renderer: () => '<div class="md-toc"></div>\n',
};

const escaped = (text: string) =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign,
  );

/** $$ on lines of its own, or \\[ \\], is a formula by itself. */
const formulaBlock: TokenizerAndRendererExtension = {
  name: 'formulaBlock',
  level: 'block',
  start: (src) => inParagraph(src, /^ {0,3}(?:\$\$|\\\[)/m),
  tokenizer(src) {
    const match =
      /^ {0,3}\$\$((?:\\[^]|[^\\$])+?)\$\$[ \t]*(?:\n+|$)/.exec(src) ??
      /^ {0,3}\\\[((?:(?!\\\])[^])+?)\\\][ \t]*(?:\n+|$)/.exec(src);
    return match ? { type: 'formulaBlock', raw: match[0], text: (match[1] ?? '').trim() } : undefined;
  },
  renderer: (token) => `<div class="md-formula">${escaped(String(token.text))}</div>\n`,
};

/**
 * $x$ or \\(x\\) is a formula in a line. The dollars stand close to it and no digit follows, so that prices stay
 * prices.
 */
const formula: TokenizerAndRendererExtension = {
  name: 'formula',
  level: 'inline',
  start: (src) => /\$|\\\(/.exec(src)?.index,
  tokenizer(src) {
    const double = /^\$\$((?:\\[^]|[^\\$])+?)\$\$/.exec(src);
    if (double) return { type: 'formula', raw: double[0], text: (double[1] ?? '').trim(), display: true };
    const match =
      /^\$(?=[^\s$])((?:\\[^\n]|[^\\$\n])*?)(?<=[^\s\\])\$(?!\d)/.exec(src) ??
      /^\\\(((?:(?!\\\))[^\n])+?)\\\)/.exec(src);
    return match?.[1] ? { type: 'formula', raw: match[0], text: match[1].trim(), display: false } : undefined;
  },
  renderer: (token) =>
    `<span class="${token.display === true ? 'md-formula' : 'md-math'}">${escaped(String(token.text))}</span>`,
};

interface Note {
  number: number;
  references: number;
}

/**
 * collectFootnotes takes `[^id]: text` out of one document and numbers the
 * notes in the order of their first mention.
 */
function collectFootnotes() {
  const bodies = new Map<string, Token[]>();
  const mentioned = new Map<string, Note>();

  const body: TokenizerAndRendererExtension = {
    name: 'footnoteBody',
    level: 'block',
    start: (src) => inParagraph(src, /^\[\^[^\]\s]+\]:/m),
    tokenizer(src) {
      const match = footnoteBody.exec(src);
      if (!match) return undefined;
      const id = match[1] ?? '';
      const text = (match[2] ?? '').replace(/\n(?: {2,4}|\t)/g, '\n');
      if (!bodies.has(id)) bodies.set(id, this.lexer.blockTokens(text, []));
      return { type: 'footnoteBody', raw: match[0] };
    },
    renderer: () => '',
  };

  const mention: TokenizerAndRendererExtension = {
    name: 'footnoteMention',
    level: 'inline',
    start: (src) => src.indexOf('[^'),
    tokenizer(src) {
      const match = /^\[\^([^\]\s]+)\]/.exec(src);
      const id = match?.[1];
      if (!match || id === undefined || !bodies.has(id)) return undefined;
      const note = mentioned.get(id) ?? { number: mentioned.size + 1, references: 0 };
      note.references++;
      mentioned.set(id, note);
      return { type: 'footnoteMention', raw: match[0], number: note.number, reference: note.references };
    },
    renderer(token) {
      const number = Number(token.number);
      const again = token.reference === 1 ? '' : `-${Number(token.reference)}`;
      return `<sup class="md-fnref"><a id="fnref-${number}${again}" href="#fn-${number}">${number}</a></sup>`;
    },
  };

  /** list renders the notes that were mentioned; empty when there is none. */
  const list = (render: (tokens: Token[]) => string): string => {
    if (mentioned.size === 0) return '';
    const items = [...mentioned].map(([id, note]) => {
      const back = `<a class="md-fnback" href="#fnref-${note.number}">↩</a>`;
      return `<li id="fn-${note.number}">${render(bodies.get(id) ?? [])}${back}</li>`;
    });
    return `<section class="md-footnotes"><ol>${items.join('\n')}</ol></section>`;
  };

  return { extensions: [body, mention], list };
}

// The first line, and the lines after it that are indented.
const footnoteBody = /^\[\^([^\]\s]+)\]:[ \t]*([^\n]*(?:\n(?:[ \t]*\n)*(?: {2,}|\t)[^\n]*)*)(?:\n+|$)/;
