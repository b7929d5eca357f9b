import type { Heading } from './headings';

/** An OutlineNode is a heading with the deeper ones that follow it. */
export interface OutlineNode {
  heading: Heading;
  children: OutlineNode[];
  /** at is the heading's place among all of the text, counted from 0. */
  at: number;
  /** size is how many headings the node holds, itself included. */
  size: number;
}

/** outlineTree nests headings by depth; skipped depths do not make empty nodes. */
export function outlineTree(headings: readonly Heading[]): OutlineNode[] {
  const roots: OutlineNode[] = [];
  const path: OutlineNode[] = [];
  for (const [at, heading] of headings.entries()) {
    const node = { heading, children: [], at, size: 1 };
    while ((path.at(-1)?.heading.depth ?? 0) >= heading.depth) path.pop();
    for (const above of path) above.size++;
    (path.at(-1)?.children ?? roots).push(node);
    path.push(node);
  }
  return roots;
}

/** outlineParts cuts one level of the tree into parts that hold so many headings or, with their last node, more. */
export function outlineParts(nodes: readonly OutlineNode[], length: number): OutlineNode[][] {
  const parts: OutlineNode[][] = [];
  let size = length;
  for (const node of nodes) {
    if (size >= length) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(node);
    size += node.size;
  }
  return parts;
}

/** holds says whether the heading with this place is one of the nodes or below them. */
export function holds(nodes: readonly OutlineNode[], place: number): boolean {
  const last = nodes.at(-1);
  return last !== undefined && place >= (nodes[0]?.at ?? 0) && place < last.at + last.size;
}

/**
 * countAbove counts the headings above a line, of which nothing but `isAbove` knows. It looks near the last count first
 * and then in growing steps: to ask where a distant heading stands makes the browser lay it out.
 */
export function countAbove(count: number, last: number, isAbove: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  let step = 1;
  let at = Math.min(last, count - 1);
  while (low < high) {
    if (isAbove(at)) low = at + 1;
    else high = at;
    step *= 2;
    // Until both ends are known from asking, on in the same direction; then halving.
    if (high === count && low > 0) at = Math.min(low + step - 2, count - 1);
    else if (low === 0) at = Math.max(0, high - step + 1);
    else at = (low + high) >> 1;
  }
  return low;
}
