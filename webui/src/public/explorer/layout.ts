/** A Box is where an entry stands, in px from the upper left corner of its listing. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A Layout knows where every entry of a listing stands, drawn or not. */
export interface Layout {
  /** height of the whole listing in px. */
  height: number;
  boxOf: (index: number) => Box;
  /** next is the entry that a key leads to; `page` is the height of the window in px. Undefined for other keys. */
  next: (from: number, key: string, page: number) => number | undefined;
}

interface Grid {
  count: number;
  columns: number;
  /** width of the listing in px. */
  width: number;
  /** height of a line in px, with the gap below it. */
  pitch: number;
  gap?: number;
}

/** gridLayout is lines of equal boxes; a plain list has one column. */
export function gridLayout({ count, columns, width, pitch, gap = 0 }: Grid): Layout {
  const each = (width - gap * (columns - 1)) / columns;
  const last = count - 1;
  return {
    height: Math.ceil(count / columns) * pitch,
    boxOf: (index) => ({
      left: (index % columns) * (each + gap),
      top: Math.floor(index / columns) * pitch,
      width: each,
      height: pitch - gap,
    }),
    next(from, key, page) {
      const lines = Math.max(1, Math.floor(page / pitch) - 1);
      const to = {
        ArrowDown: from + columns,
        ArrowUp: from - columns,
        PageDown: from + lines * columns,
        PageUp: from - lines * columns,
        Home: 0,
        End: last,
        ...(columns > 1 && { ArrowRight: from + 1, ArrowLeft: from - 1 }),
      }[key];
      return to === undefined ? undefined : Math.max(0, Math.min(to, last));
    },
  };
}

interface Lanes {
  /** ratios are width by height of each entry. */
  ratios: readonly number[];
  lanes: number;
  /** width of the listing in px. */
  width: number;
  gapX: number;
  gapY: number;
}

/** lanesLayout puts each box under the shortest lane, as masons do. */
export function lanesLayout({ ratios, lanes, width, gapX, gapY }: Lanes): Layout {
  const each = (width - gapX * (lanes - 1)) / lanes;
  const ends: number[] = Array.from({ length: lanes }, () => 0);
  const boxes = ratios.map((ratio): Box => {
    const top = Math.min(...ends);
    const lane = ends.indexOf(top);
    const height = Math.round(each / ratio);
    ends[lane] = top + height + gapY;
    return { left: lane * (each + gapX), top, width: each, height };
  });
  const boxOf = (index: number) => boxes[index] ?? { left: 0, top: 0, width: 0, height: 0 };

  // The nearest box on a side: first by how far it is off the way, then by the way itself.
  function nearest(from: number, ahead: (box: Box) => number): number {
    const here = boxOf(from);
    let best = from;
    let least = Infinity;
    boxes.forEach((box, index) => {
      const way = ahead(box);
      if (index === from || way <= 0) return;
      const across = Math.abs(box.left - here.left) + Math.abs(box.top - here.top) - way;
      const far = way + across * 3;
      if (far < least) [least, best] = [far, index];
    });
    return best;
  }

  return {
    height: Math.max(0, Math.max(0, ...ends) - gapY),
    boxOf,
    next(from, key, page) {
      const { left, top } = boxOf(from);
      switch (key) {
        case 'ArrowDown':
          return nearest(from, (box) => (box.left === left ? box.top - top : 0));
        case 'ArrowUp':
          return nearest(from, (box) => (box.left === left ? top - box.top : 0));
        case 'ArrowRight':
          return nearest(from, (box) => box.left - left);
        case 'ArrowLeft':
          return nearest(from, (box) => left - box.left);
        case 'PageDown':
          return nearest(from, (box) => (box.left === left ? Math.max(0, box.top - top - page / 2) : 0));
        case 'PageUp':
          return nearest(from, (box) => (box.left === left ? Math.max(0, top - box.top - page / 2) : 0));
        case 'Home':
          return 0;
        case 'End':
          return Math.max(0, ratios.length - 1);
        default:
          return undefined;
      }
    },
  };
}

/** touching lists the entries that a rectangle touches, from the layout: most of them are not drawn. */
export function touching({ boxOf }: Layout, count: number, area: Box): number[] {
  const hits: number[] = [];
  for (let index = 0; index < count; index++) {
    const box = boxOf(index);
    const beside = box.left + box.width < area.left || area.left + area.width < box.left;
    const apart = box.top + box.height < area.top || area.top + area.height < box.top;
    if (!beside && !apart) hits.push(index);
  }
  return hits;
}
