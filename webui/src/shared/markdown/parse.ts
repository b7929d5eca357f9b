import { Marked, type Token } from 'marked';
import type { Dialect } from './dialect';

/** Characters of Markdown that are rendered and sanitised in one go. */
const groupLength = 32_000;

/** A group is not cut inside raw HTML, unless it has grown to this length. */
const longestGroup = 8 * groupLength;

/**
 * markdownGroups turns Markdown into pieces of HTML, front to back.
 *
 * The HTML is NOT safe: raw HTML of the author passes through. Only
 * `sanitize` may take it. Needs no document, so it also runs in a worker.
 * `dialect` is what the text uses beyond GitHub's Markdown, see dialects.ts.
 */
export function* markdownGroups(text: string, dialect?: Dialect): Generator<string> {
  const marked = new Marked({ gfm: true }, ...(dialect ? [dialect.extension] : []));
  const tokens = marked.lexer(text);
  let group: Token[] = [];
  let length = 0;
  let open = 0;
  for (const token of tokens) {
    group.push(token);
    length += token.raw.length;
    if (token.type === 'html') open = Math.max(0, open + openElements(token.raw));
    if (length >= groupLength && (open === 0 || length >= longestGroup)) {
      yield marked.parser(group);
      group = [];
      length = 0;
    }
  }
  const rest = marked.parser(group);
  const end = rest + (dialect?.end((tokens) => marked.parser(tokens)) ?? '');
  if (end) yield end;
}

// openElements counts the block elements that a piece of raw HTML leaves open;
// negative when it closes more than it opens.
function openElements(html: string): number {
  let open = 0;
  for (const [, slash] of html.matchAll(/<(\/?)(?:details|div|section|table|center|p)\b/gi)) {
    open += slash ? -1 : 1;
  }
  return open;
}
