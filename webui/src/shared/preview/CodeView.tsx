import { memo, useEffect, useMemo, useRef, useState, type MouseEvent } from 'react';
import { useT } from '../../i18n';
import { highlight } from '../markdown/highlight';
import { linesHash, splitHighlighted, type LineRange } from './lines';
import styles from './text.module.css';

/** Lines that are put into the page together, once they come near the window. */
const chunkLines = 500;

interface CodeViewProps {
  text: string;
  /** language is a grammar's name or a file extension; anything else is shown without colours. */
  language: string;
  wrap: boolean;
  label: string;
  selected: LineRange | undefined;
  onSelect: (range: LineRange) => void;
}

/** CodeView shows code with line numbers. A click on a number selects the line, with Shift a range. */
export function CodeView({ text, language, wrap, label, selected, onSelect }: CodeViewProps) {
  const plain = useMemo(() => text.replace(/\n$/, '').split('\n'), [text]);
  const coloured = useColours(text, language);
  const chunks = Math.ceil(plain.length / chunkLines);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!selected) return;
    const line = box.current?.querySelector(`[data-line="${selected.from}"]`);
    line?.scrollIntoView({ block: 'center' });
  }, [selected]);

  function choose(event: MouseEvent) {
    const number = event.target instanceof Element ? event.target.closest('a[data-number]') : null;
    if (!(number instanceof HTMLElement)) return;
    event.preventDefault();
    const line = Number(number.dataset.number);
    const from = event.shiftKey && selected ? selected.from : line;
    onSelect({ from: Math.min(from, line), to: Math.max(from, line) });
  }

  return (
    <div
      ref={box}
      className={styles.box}
      role="region"
      aria-label={label}
      tabIndex={0}
      data-wrap={wrap || undefined}
      onClick={choose}
      style={{ '--digits': String(plain.length).length } as React.CSSProperties}
    >
      {Array.from({ length: chunks }, (_, index) => {
        const first = index * chunkLines;
        const last = Math.min(first + chunkLines, plain.length);
        const holds = selected !== undefined && selected.from > first && selected.from <= last;
        return (
          <Chunk
            key={index}
            first={first}
            plain={plain}
            coloured={coloured}
            last={last}
            shown={index === 0 || holds}
            selected={overlap(selected, first + 1, last)}
          />
        );
      })}
    </div>
  );
}

// Chunks that a selection does not touch are not drawn again for it.
function overlap(range: LineRange | undefined, first: number, last: number): string {
  if (!range || range.to < first || range.from > last) return '';
  return `${Math.max(range.from, first)}-${Math.min(range.to, last)}`;
}

interface ChunkProps {
  first: number;
  last: number;
  plain: string[];
  coloured: string[] | undefined;
  shown: boolean;
  /** selected lines of this chunk, as "from-to"; "" for none. */
  selected: string;
}

const Chunk = memo(function Chunk({ first, last, plain, coloured, shown, selected }: ChunkProps) {
  const t = useT();
  const ref = useRef<HTMLDivElement>(null);
  const near = useNear(ref) || shown;
  const [from = 0, to = 0] = selected ? selected.split('-').map(Number) : [];
  if (!near) return <div ref={ref} style={{ height: `${(last - first) * 1.6}em` }} />;
  return (
    <div ref={ref}>
      {plain.slice(first, last).map((line, index) => {
        const number = first + index + 1;
        const html = coloured?.[first + index];
        return (
          <div
            key={number}
            className={styles.line}
            data-line={number}
            data-selected={(number >= from && number <= to) || undefined}
          >
            <a
              className={styles.number}
              href={linesHash({ from: number, to: number })}
              data-number={number}
              tabIndex={-1}
              aria-label={t('preview.code.line', { number })}
            />
            {html === undefined ? <code>{line}</code> : <code dangerouslySetInnerHTML={{ __html: html }} />}
          </div>
        );
      })}
    </div>
  );
});

/** useNear becomes true when the element comes near the window, and stays so. */
function useNear(ref: React.RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(() => typeof IntersectionObserver === 'undefined');
  useEffect(() => {
    const element = ref.current;
    if (near || !element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true);
      },
      { rootMargin: '1500px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [near, ref]);
  return near;
}

/** useColours gives the lines as highlighted HTML; undefined until they are ready or when there are none. */
function useColours(text: string, language: string): string[] | undefined {
  const [done, setDone] = useState<{ text: string; language: string; lines: string[] }>();
  useEffect(() => {
    let gone = false;
    void highlight(text, language).then((html) => {
      if (!gone && html !== null) setDone({ text, language, lines: splitHighlighted(html) });
    });
    return () => {
      gone = true;
    };
  }, [text, language]);
  return done?.text === text && done.language === language ? done.lines : undefined;
}
