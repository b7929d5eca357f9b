import { describe, expect, it } from 'vitest';
import { gridLayout, lanesLayout, touching } from './layout';

describe('gridLayout', () => {
  const tiles = gridLayout({ count: 7, columns: 3, width: 320, pitch: 100, gap: 10 });

  it('places boxes in lines', () => {
    expect(tiles.height).toBe(300);
    expect(tiles.boxOf(0)).toEqual({ left: 0, top: 0, width: 100, height: 90 });
    expect(tiles.boxOf(5)).toEqual({ left: 220, top: 100, width: 100, height: 90 });
  });

  it.each([
    ['ArrowRight', 0, 1],
    ['ArrowLeft', 0, 0],
    ['ArrowDown', 1, 4],
    ['ArrowDown', 5, 6],
    ['ArrowUp', 4, 1],
    ['PageDown', 0, 6],
    ['Home', 6, 0],
    ['End', 0, 6],
    ['x', 3, undefined],
  ])('%s leads from %i to %s', (key, from, want) => {
    expect(tiles.next(from, key, 300)).toBe(want);
  });

  it('does not move sideways in a list', () => {
    const list = gridLayout({ count: 3, columns: 1, width: 300, pitch: 40 });
    expect(list.next(0, 'ArrowRight', 400)).toBeUndefined();
    expect(list.next(0, 'ArrowDown', 400)).toBe(1);
  });
});

describe('lanesLayout', () => {
  // Three lanes of 100 px: heights 100, 200, 50, then 100 below the third, 100 below the first.
  const lanes = lanesLayout({ ratios: [1, 0.5, 2, 1, 1], lanes: 3, width: 320, gapX: 10, gapY: 10 });

  it('puts each box under the shortest lane', () => {
    expect(lanes.boxOf(2)).toEqual({ left: 220, top: 0, width: 100, height: 50 });
    expect(lanes.boxOf(3)).toEqual({ left: 220, top: 60, width: 100, height: 100 });
    expect(lanes.boxOf(4)).toEqual({ left: 0, top: 110, width: 100, height: 100 });
    expect(lanes.height).toBe(210);
  });

  it.each([
    ['ArrowDown', 0, 4],
    ['ArrowDown', 1, 1],
    ['ArrowUp', 3, 2],
    ['ArrowRight', 0, 1],
    ['ArrowLeft', 3, 1],
    ['Home', 4, 0],
    ['End', 0, 4],
  ])('%s leads from %i to %i', (key, from, want) => {
    expect(lanes.next(from, key, 400)).toBe(want);
  });

  it('is empty without pictures', () => {
    expect(lanesLayout({ ratios: [], lanes: 2, width: 100, gapX: 0, gapY: 20 }).height).toBe(0);
  });
});

describe('touching', () => {
  it('finds what a rectangle hits, also where nothing is drawn', () => {
    const list = gridLayout({ count: 10_000, columns: 1, width: 300, pitch: 40 });
    const hits = touching(list, 10_000, { left: 200, top: 390_010, width: 50, height: 100 });
    expect(hits).toEqual([9750, 9751, 9752]);
    expect(touching(list, 10_000, { left: 310, top: 0, width: 5, height: 5000 })).toEqual([]);
  });
});
