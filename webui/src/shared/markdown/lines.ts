import type { Token } from 'marked';

/** A Block is a part of a text that becomes one element. */
export interface Block {
  /** tag of the element, in capitals. */
  tag: string;
  /** line of the source it begins on, counted from 1. */
  line: number;
}

const tags: Record<string, string> = {
  paragraph: 'P',
  code: 'PRE',
  table: 'TABLE',
  blockquote: 'BLOCKQUOTE',
  hr: 'HR',
  formulaBlock: 'DIV',
  contents: 'DIV',
};

/** blockTag is the tag of the element that a token becomes; "" when it becomes none, or nobody knows which. */
export function blockTag(token: Token): string {
  if (token.type === 'heading') return `H${String(token.depth)}`;
  if (token.type === 'list') return token.ordered ? 'OL' : 'UL';
  return tags[token.type] ?? '';
}

/**
 * linesOf finds the lines that elements stand for, by their place in the list. Raw HTML of the author adds elements
 * and swallows others, so an element may stand for no block and a block may have none.
 */
export function linesOf(elements: readonly Element[], blocks: readonly Block[]): (number | undefined)[] {
  let next = 0;
  return elements.map(({ tagName }) => {
    const at = blocks.findIndex(({ tag }, index) => index >= next && tag === tagName);
    if (at < 0 || at > next + farthest) return undefined;
    next = at + 1;
    return blocks[at]?.line;
  });
}

/** How many blocks may be passed over for an element that stands for none of them. */
const farthest = 40;
