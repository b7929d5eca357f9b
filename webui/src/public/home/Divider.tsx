import { useRef, type KeyboardEvent, type PointerEvent } from 'react';
import styles from './home.module.css';

interface DividerProps {
  label: string;
  /** value is the share of the first pane in percent. */
  value: number;
  onChange: (value: number) => void;
}

const least = 20;
const most = 80;

/** Divider moves the border between two panes, by pointer and by arrow keys. */
export function Divider({ label, value, onChange }: DividerProps) {
  const handle = useRef<HTMLDivElement>(null);
  const move = (next: number) => onChange(Math.round(Math.min(most, Math.max(least, next))));

  function drag(event: PointerEvent) {
    const frame = handle.current?.parentElement?.getBoundingClientRect();
    if (!frame || !handle.current?.hasPointerCapture(event.pointerId)) return;
    move(((event.clientX - frame.left) / frame.width) * 100);
  }

  function keys(event: KeyboardEvent) {
    const next = { ArrowLeft: value - 1, ArrowRight: value + 1, Home: least, End: most }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    move(next);
  }

  return (
    <div
      ref={handle}
      className={styles.divider}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={value}
      tabIndex={0}
      onKeyDown={keys}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  );
}
