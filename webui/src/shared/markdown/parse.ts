import { Marked, type Token } from 'marked';
import type { Dialect } from './dialect';
import { blockTag, type Block } from './lines';

/** Characters of Markdown that are rendered and sanitised in one go. */
const groupLength = 16_000;

/** A group is not cut inside raw HTML, unless it has grown to this length. */
const longestGroup = 16 * groupLength;

/** A Group is a piece of a rendered text. */
export interface Group {
  /** html is NOT safe: raw HTML of the author passes through. Only `sanitize` may take it. */
  html: string;
  /** blocks tell which lines the elements of the piece stand for. */
  blocks: Block[];
  /** instead says that the piece takes the place of the one before, which was ahead of its time. */
  instead?: true;
}

/**
 * markdownGroups turns Markdown into pieces of HTML, front to back.
 *
 * Needs no document, so it also runs in a worker.
 * `dialect` is what the text uses beyond GitHub's Markdown, see dialects.ts. A piece ends at cutAt if a block does.
 */
export function* markdownGroups(text: string, dialect?: Dialect, cutAt = 0): Generator<Group> {
  const marked = new Marked({ gfm: true }, ...(dialect ? [dialect.extension] : []));
  const tokens = marked.lexer(text);
  let group: Token[] = [];
  let length = 0;
  let blocks: Block[] = [];
  let line = 1;
  let open = 0;
  let done = 0;
  for (const token of tokens) {
    group.push(token);
    const tag = blockTag(token);
    if (tag) blocks.push({ tag, line });
    line += lineEnds(token.raw);
    length += token.raw.length;
    done += token.raw.length;
    if (token.type === 'html') open = Math.max(0, open + openElements(token.raw));
    const full = length >= groupLength && (open === 0 || length >= longestGroup);
    if (full || done === cutAt) {
      yield { html: marked.parser(group), blocks };
      group = [];
      blocks = [];
      length = 0;
    }
  }
  const rest = marked.parser(group);
  const end = rest + (dialect?.end((tokens) => marked.parser(tokens)) ?? '');
  if (end) yield { html: end, blocks };
}

/** Characters that are shown before the rest of a long text has been read. */
const headLength = 8_000;

/** Front is the beginning of a long text, drawn before what follows is read. */
interface Front {
  group: Group | undefined;
  /** length of the front, in characters of the text with plain line ends; 0 when it cannot be parted from the rest. */
  length: number;
}

/** frontOf draws the front of a long text. */
export function frontOf(text: string, dialect: () => Dialect | undefined): Front {
  const front = plainEnds(text.slice(0, 2 * headLength)).slice(0, headLength);
  const cut = Math.max(front.lastIndexOf('\n\n#'), 0) || front.lastIndexOf('\n\n');
  if (cut <= 0) return { group: undefined, length: 0 };
  const [group, ...more] = markdownGroups(front.slice(0, cut + 2), dialect());
  return { group: more.length === 0 ? group : undefined, length: cut + 2 };
}

const plainEnds = (text: string) => text.replace(/\r\n?/g, '\n');

/**
 * restOf yields what follows the front of a long text. Mostly the front stays; where the rest changes it, by a link's
 * address or a footnote that stands further down, the first piece comes instead of it.
 */
export function* restOf(
  text: string,
  { group: shown, length }: Front,
  dialect: () => Dialect | undefined,
): Generator<Group> {
  let first = true;
  for (const group of markdownGroups(plainEnds(text), dialect(), length)) {
    if (!first || !shown) yield group;
    else if (group.html !== shown.html) yield { ...group, instead: true };
    first = false;
  }
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
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
