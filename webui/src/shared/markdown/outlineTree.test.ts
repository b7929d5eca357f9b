import { describe, expect, it } from 'vitest';
import { outlineTree, type OutlineNode } from './outlineTree';

const shape = (nodes: OutlineNode[]): unknown[] =>
  nodes.map((node) =>
    node.children.length > 0 ? [node.heading.text, shape(node.children)] : node.heading.text,
  );

const treeOf = (...depths: number[]) =>
  shape(outlineTree(depths.map((depth, index) => ({ id: `h${index}`, text: `${index}:${depth}`, depth }))));

describe('outlineTree', () => {
  it.each([
    [[], []],
    [
      [1, 2, 2, 1],
      [['0:1', ['1:2', '2:2']], '3:1'],
    ],
    [[1, 3, 2], [['0:1', ['1:3', '2:2']]]],
    [
      [3, 1],
      ['0:3', '1:1'],
    ],
    [[1, 2, 3, 2], [['0:1', [['1:2', ['2:3']], '3:2']]]],
  ])('nests %j', (depths, want) => {
    expect(treeOf(...depths)).toEqual(want);
  });
});
