import { idPrefix } from './sanitize';

/** A Heading of a rendered text, in the order of the page. */
export interface Heading {
  /** The element's id in the page. */
  id: string;
  text: string;
  /** 1 to 6. */
  depth: number;
}

/**
 * hasHeadings says from the source whether a text probably has so many headings, before it is rendered: lines with
 * "#" in front or "=" below, outside fenced code.
 */
export function hasHeadings(text: string, count: number): boolean {
  let fence = '';
  let found = 0;
  for (const [, mark] of text.matchAll(/^ {0,3}(?:(```|~~~)|#{1,6}[ \t]+\S|\S.*\r?\n {0,3}=+[ \t]*$)/gm)) {
    if (mark) fence = fence === '' ? mark : fence === mark ? '' : fence;
    else if (fence === '' && ++found >= count) return true;
  }
  return false;
}

/** slugOf makes the readable part of a heading's id from its text. */
export function slugOf(text: string): string {
  const slug = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s+/gu, '-');
  return slug || 'section';
}

/** HeadingIds gives every heading of one document an id of its own; equal texts are counted. */
export class HeadingIds {
  private readonly taken = new Set<string>();

  next(text: string): string {
    const slug = slugOf(text);
    let id = slug;
    for (let n = 1; this.taken.has(id); n++) id = `${slug}-${n}`;
    this.taken.add(id);
    return idPrefix + id;
  }
}

/** collectHeadings names the headings below root and returns them. */
export function collectHeadings(root: ParentNode, ids: HeadingIds): Heading[] {
  return [...root.querySelectorAll('h1, h2, h3, h4, h5, h6')].map((element) => {
    const text = (element.textContent ?? '').trim();
    element.id = ids.next(text);
    element.setAttribute('tabindex', '-1');
    return { id: element.id, text, depth: Number(element.nodeName.slice(1)) };
  });
}
