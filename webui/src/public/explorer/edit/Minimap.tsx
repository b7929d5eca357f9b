import type { EditorView } from '@codemirror/view';
import { useEffect, useRef, type MouseEvent } from 'react';
import styles from './edit.module.css';

/** A line is drawn so high, in px; long texts are pressed together. */
const lineHeight = 2;

/** Width of the map and of one character in it, in px. */
const [mapWidth, letter] = [80, 0.8];

/** Minimap is the text from afar; a click goes there. Keys have the text itself. */
export function Minimap({ view, ticks }: { view: EditorView; ticks: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext('2d');
    if (!element || !pen) return;
    const draw = () => {
      const height = view.dom.clientHeight;
      const scale = devicePixelRatio || 1;
      element.width = mapWidth * scale;
      element.height = height * scale;
      element.style.height = `${height}px`;
      pen.scale(scale, scale);
      const { doc } = view.state;
      const step = Math.min(lineHeight, height / doc.lines);
      const every = Math.max(1, Math.ceil(0.5 / step));
      const style = getComputedStyle(view.dom);
      pen.fillStyle = style.color;
      pen.globalAlpha = 0.45;
      for (let number = 1; number <= doc.lines; number += every) {
        const { text } = doc.line(number);
        const indent = text.length - text.trimStart().length;
        const width = Math.min(mapWidth, (text.length - indent) * letter);
        pen.fillRect(indent * letter, (number - 1) * step, width, Math.max(0.5, step * 0.7));
      }
      const { scrollTop, scrollHeight, clientHeight } = view.scrollDOM;
      const whole = Math.min(height, doc.lines * step);
      pen.globalAlpha = 0.18;
      pen.fillRect(0, (scrollTop / scrollHeight) * whole, mapWidth, (clientHeight / scrollHeight) * whole);
    };
    let frame = requestAnimationFrame(draw);
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(draw);
    };
    view.scrollDOM.addEventListener('scroll', soon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      view.scrollDOM.removeEventListener('scroll', soon);
    };
  }, [view, ticks]);

  function goTo(event: MouseEvent) {
    const box = event.currentTarget.getBoundingClientRect();
    const { doc } = view.state;
    const whole = Math.min(box.height, doc.lines * lineHeight);
    const { scrollHeight, clientHeight } = view.scrollDOM;
    view.scrollDOM.scrollTo({ top: ((event.clientY - box.top) / whole) * scrollHeight - clientHeight / 2 });
  }

  return <canvas ref={canvas} className={styles.map} aria-hidden="true" onClick={goTo} />;
}
