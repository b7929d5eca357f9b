import type { KeyboardEvent, PointerEvent, RefObject } from 'react';
import styles from './document.module.css';

interface DividerProps {
  label: string;
  /** Width of the part before it, in percent of the frame, 10 to 50. */
  value: number;
  onChange: (value: number) => void;
  frame: RefObject<HTMLElement | null>;
}

/** Divider moves the line between outline and text, by pointer and by arrow keys. */
export function Divider({ label, value, onChange, frame }: DividerProps) {
  function move(event: PointerEvent) {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = frame.current?.getBoundingClientRect();
    if (box) onChange(((event.clientX - box.left) / box.width) * 100);
  }

  function keys(event: KeyboardEvent) {
    const next = { ArrowLeft: value - 1, ArrowRight: value + 1, Home: 10, End: 50 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onChange(next);
  }

  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-controls="pp-outline"
      aria-valuenow={value}
      aria-valuemin={10}
      aria-valuemax={50}
      tabIndex={0}
      className={styles.divider}
      onKeyDown={keys}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
    />
  );
}
