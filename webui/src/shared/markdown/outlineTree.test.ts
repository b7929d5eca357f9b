import { describe, expect, it } from 'vitest';
import { countAbove, holds, outlineParts, outlineTree, type OutlineNode } from './outlineTree';

const shape = (nodes: OutlineNode[]): unknown[] =>
  nodes.map((node) =>
    node.children.length > 0 ? [node.heading.text, shape(node.children)] : node.heading.text,
  );

const nodesOf = (...depths: number[]) =>
  outlineTree(depths.map((depth, index) => ({ id: `h${index}`, text: `${index}:${depth}`, depth })));

const treeOf = (...depths: number[]) => shape(nodesOf(...depths));

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

describe('outlineParts', () => {
  const partsOf = (length: number, ...depths: number[]) =>
    outlineParts(nodesOf(...depths), length).map((part) => part.map((node) => node.heading.text));

  it.each([
    [2, [], []],
    [2, [1, 1, 1], [['0:1', '1:1'], ['2:1']]],
    [2, [1, 2, 2, 1, 1], [['0:1'], ['3:1', '4:1']]],
    [3, [1, 1, 2, 2, 1], [['0:1', '1:1'], ['4:1']]],
    [9, [1, 2, 1], [['0:1', '2:1']]],
  ])('of %i headings cut %j', (length, depths, want) => {
    expect(partsOf(length, ...depths)).toEqual(want);
  });
});

describe('holds', () => {
  it.each([
    [-1, false],
    [0, false],
    [1, true],
    [2, true],
    [3, true],
    [4, false],
  ])('finds the heading at place %i: %s', (place, want) => {
    const [, second, third] = nodesOf(1, 1, 2, 1, 1);
    expect(
      holds(
        [second, third].filter((node) => node !== undefined),
        place,
      ),
    ).toBe(want);
  });

  it('finds none among no nodes', () => {
    expect(holds([], 0)).toBe(false);
  });
});

describe('countAbove', () => {
  it.each([0, 1, 2, 5, 40])('finds every count of %i headings, from every count before', (count) => {
    for (let want = 0; want <= count; want++) {
      for (let last = 0; last <= count; last++) {
        expect(countAbove(count, last, (at) => at < want)).toBe(want);
      }
    }
  });

  it('asks near the last count only', () => {
    const asked: number[] = [];
    countAbove(4000, 1000, (at) => {
      asked.push(at);
      return at < 1003;
    });
    expect(Math.min(...asked)).toBeGreaterThan(990);
    expect(Math.max(...asked)).toBeLessThan(1020);
  });
});
