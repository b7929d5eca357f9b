import type { KeyboardEvent, PointerEvent, RefObject } from 'react';
import { writeStored } from '../../config';
import styles from './document.module.css';

interface DividerProps {
  label: string;
  /** Width of the part before it, in percent of the frame, 10 to 50. */
  value: number;
  onChange: (value: number) => void;
  frame: RefObject<HTMLElement | null>;
}

const narrowest = 10;
const widest = 50;

/** Divider moves the line between outline and text, by pointer and by arrow keys; the place is remembered. */
export function Divider({ label, value, onChange, frame }: DividerProps) {
  function put(percent: number) {
    const next = Math.min(widest, Math.max(narrowest, Math.round(percent)));
    onChange(next);
    writeStored('pp.outlineWidth', String(next));
  }

  function move(event: PointerEvent) {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = frame.current?.getBoundingClientRect();
    if (box) put(((event.clientX - box.left) / box.width) * 100);
  }

  function keys(event: KeyboardEvent) {
    const next = { ArrowLeft: value - 1, ArrowRight: value + 1, Home: narrowest, End: widest }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    put(next);
  }

  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-controls="pp-outline"
      aria-valuenow={value}
      aria-valuemin={narrowest}
      aria-valuemax={widest}
      tabIndex={0}
      className={styles.divider}
      onKeyDown={keys}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
    />
  );
}
