import { useMemo, useRef, useState } from 'react';
import { useListener } from '../../hooks/useListener';
import type { Entry } from '../../api/fs';

/** The form of a picture's box before its own is known. */
const usual = 4 / 3;

/** The longest and the widest box. */
const [tallest, widest] = [0.4, 3];

// Pictures seen before have their form at once.
const known = new Map<string, number>();

interface Ratios {
  ratios: readonly number[];
  /** learn notes a picture's form; below says that its box is below the window. */
  learn: (entry: Entry, ratio: number, below: boolean) => void;
}

/**
 * useRatios are the forms of the boxes of a gallery. Until the visitor begins
 * to move, the boxes take their pictures' forms; after that only those below
 * the window do, so that nothing jumps under the eyes.
 */
export function useRatios(entries: readonly Entry[]): Ratios {
  const [taken, setTaken] = useState<ReadonlyMap<string, number>>(() => new Map(known));
  const moved = useRef(false);
  const move = () => void (moved.current = true);
  useListener('wheel', move);
  useListener('touchmove', move);
  useListener('scroll', move);

  return {
    ratios: useMemo(() => entries.map(({ path }) => taken.get(path) ?? usual), [entries, taken]),
    learn({ path }, ratio, below) {
      const sound = Math.min(widest, Math.max(tallest, ratio));
      known.set(path, sound);
      if (below || !moved.current) {
        setTaken((before) => (before.get(path) === sound ? before : new Map(before).set(path, sound)));
      }
    },
  };
}
