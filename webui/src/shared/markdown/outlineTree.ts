import type { Heading } from './headings';

/** An OutlineNode is a heading with the deeper ones that follow it. */
export interface OutlineNode {
  heading: Heading;
  children: OutlineNode[];
}

/** outlineTree nests headings by depth; skipped depths do not make empty nodes. */
export function outlineTree(headings: readonly Heading[]): OutlineNode[] {
  const roots: OutlineNode[] = [];
  const path: OutlineNode[] = [];
  for (const heading of headings) {
    const node = { heading, children: [] };
    while ((path.at(-1)?.heading.depth ?? 0) >= heading.depth) path.pop();
    (path.at(-1)?.children ?? roots).push(node);
    path.push(node);
  }
  return roots;
}
