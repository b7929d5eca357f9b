import {
  memo,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { useInSight } from '../../hooks/useObserved';
import { useT } from '../../i18n';
import { highlight } from '../markdown/highlight';
import { Button } from '../ui';
import { allOf, foldsOf, hiddenBy, unfoldFor } from './folds';
import { linesHash, splitHighlighted, type LineRange } from './lines';
import styles from './text.module.css';

/** Lines that are put into the page together, once they come near the window. */
const chunkLines = 500;

/** The height of a line, in em. Two buttons below each other are large enough for a finger. */
const lineHeight = 1.75;

const noLines: ReadonlySet<number> = new Set();

interface CodeViewProps {
  text: string;
  /** language is a grammar's name or a file extension; anything else is shown without colours. */
  language: string;
  wrap: boolean;
  label: string;
  selected: LineRange | undefined;
  onSelect: (range: LineRange) => void;
  /** children stand first in the line below the code, which stays in sight. */
  children?: ReactNode;
}

/**
 * CodeView shows code with line numbers, whose blocks can be folded. A click on a number selects the line, with Shift
 * a range; what is selected is unfolded.
 */
export function CodeView({ text, language, wrap, label, selected, onSelect, children }: CodeViewProps) {
  const t = useT();
  const plain = useMemo(() => text.replace(/\n$/, '').split('\n'), [text]);
  const coloured = useColours(text, language);
  const chunks = Math.ceil(plain.length / chunkLines);
  const box = useRef<HTMLDivElement>(null);
  const folds = useMemo(() => foldsOf(plain), [plain]);
  const [folded, setFolded] = useFolded(folds, selected);
  const hidden = useMemo(() => hiddenBy(folds, folded), [folds, folded]);
  const [current, setCurrent] = useState(0);
  // One block is reached by Tab, the others from there by arrow keys. The first one is never hidden.
  const stop =
    folds.has(current) && !hidden.some(({ from, to }) => current >= from && current <= to)
      ? current
      : (folds.keys().next().value ?? 0);

  useEffect(() => {
    if (!selected) return;
    const line = box.current?.querySelector(`[data-line="${selected.from}"]`);
    line?.scrollIntoView({ block: 'center' });
  }, [selected]);

  function toggle(line: number, fold = !folded.has(line)) {
    setCurrent(line);
    const next = new Set(folded);
    if (fold) next.add(line);
    else next.delete(line);
    setFolded(next);
  }

  function choose(event: MouseEvent) {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest<HTMLElement>('button[data-fold]');
    if (button) {
      toggle(Number(button.dataset.fold));
      return;
    }
    const number = event.target.closest<HTMLElement>('a[data-number]');
    if (!number) return;
    event.preventDefault();
    const line = Number(number.dataset.number);
    const from = event.shiftKey && selected ? selected.from : line;
    onSelect({ from: Math.min(from, line), to: Math.max(from, line) });
  }

  function move(event: KeyboardEvent) {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.fold === undefined) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const line = Number(event.target.dataset.fold);
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      event.preventDefault();
      toggle(line, event.key === 'ArrowLeft');
      return;
    }
    const shown = [
      ...event.currentTarget.querySelectorAll<HTMLElement>(':not([hidden]) > button[data-fold]'),
    ];
    const at = shown.indexOf(event.target);
    const places: Record<string, number> = {
      ArrowUp: at - 1,
      ArrowDown: at + 1,
      Home: 0,
      End: shown.length - 1,
    };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    const next = shown[place];
    if (!next) return;
    setCurrent(Number(next.dataset.fold));
    next.focus();
  }

  return (
    <>
      <div
        ref={box}
        className={styles.box}
        role="region"
        aria-label={label}
        tabIndex={0}
        data-wrap={wrap || undefined}
        onClick={choose}
        onKeyDown={move}
        style={
          { '--digits': String(plain.length).length, '--line-height': lineHeight } as React.CSSProperties
        }
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
              folds={folds}
              folded={within(folded, first + 1, last)}
              hidden={overlaps(hidden, first + 1, last)}
              stop={stop > first && stop <= last ? stop : 0}
            />
          );
        })}
      </div>
      {(children !== undefined || folds.size > 0) && (
        <div className={styles.foot}>
          {children}
          {folds.size > 0 && (
            <>
              <Button variant="quiet" onClick={() => setFolded(allOf(folds, plain.length))}>
                {t('preview.code.foldAll')}
              </Button>
              <Button variant="quiet" onClick={() => setFolded(noLines)}>
                {t('preview.code.unfoldAll')}
              </Button>
            </>
          )}
        </div>
      )}
    </>
  );
}

/** useFolded holds the folded blocks, by their first lines. Another text begins unfolded, and a selection unfolds its lines. */
function useFolded(folds: ReadonlyMap<number, number>, selected: LineRange | undefined) {
  const [state, setState] = useState({ folds, selected, folded: noLines });
  let { folded } = state;
  if (state.folds !== folds || state.selected !== selected) {
    if (state.folds !== folds) folded = noLines;
    else if (selected) folded = unfoldFor(folds, folded, selected);
    setState({ folds, selected, folded });
  }
  return [folded, (next: ReadonlySet<number>) => setState({ folds, selected, folded: next })] as const;
}

// Chunks that a change does not touch are not drawn again for it: what they are given is compared as text.
function overlap(range: LineRange | undefined, first: number, last: number): string {
  if (!range || range.to < first || range.from > last) return '';
  return `${Math.max(range.from, first)}-${Math.min(range.to, last)}`;
}

function overlaps(ranges: LineRange[], first: number, last: number): string {
  return ranges
    .map((range) => overlap(range, first, last))
    .filter(Boolean)
    .join();
}

function within(lines: ReadonlySet<number>, first: number, last: number): string {
  return [...lines].filter((line) => line >= first && line <= last).join();
}

/** linesOf reads what overlap and overlaps write. */
function linesOf(ranges: string): Set<number> {
  const lines = new Set<number>();
  for (const range of ranges ? ranges.split(',') : []) {
    const [from = 0, to = 0] = range.split('-').map(Number);
    for (let line = from; line <= to; line++) lines.add(line);
  }
  return lines;
}

interface ChunkProps {
  first: number;
  last: number;
  plain: string[];
  coloured: string[] | undefined;
  shown: boolean;
  /** selected lines of this chunk, as "from-to"; "" for none. */
  selected: string;
  /** folds are the blocks of the whole text. */
  folds: ReadonlyMap<number, number>;
  /** folded blocks that begin in this chunk, as "line,line". */
  folded: string;
  /** hidden lines of this chunk, as "from-to,from-to". */
  hidden: string;
  /** stop is the block that Tab reaches; 0 when it is in another chunk. */
  stop: number;
}

const Chunk = memo(function Chunk(props: ChunkProps) {
  const { first, last, plain, coloured, shown, folds, stop } = props;
  const t = useT();
  // A chunk that has come near the window once stays drawn.
  const [met, setMet] = useState(() => typeof IntersectionObserver === 'undefined');
  const ref = useInSight('1500px', (inSight) => {
    if (inSight) setMet(true);
  });
  const near = met || shown;
  const selected = linesOf(props.selected);
  const hidden = linesOf(props.hidden);
  const folded = new Set(props.folded.split(',').map(Number));
  if (!near) return <div ref={ref} style={{ height: `${(last - first - hidden.size) * lineHeight}em` }} />;
  return (
    <div ref={met ? undefined : ref}>
      {plain.slice(first, last).map((line, index) => {
        const number = first + index + 1;
        const html = coloured?.[first + index];
        const to = folds.get(number);
        return (
          <div
            key={number}
            className={styles.line}
            data-line={number}
            data-selected={selected.has(number) || undefined}
            data-folded={folded.has(number) || undefined}
            hidden={hidden.has(number)}
          >
            <a
              className={styles.number}
              href={linesHash({ from: number, to: number })}
              data-number={number}
              tabIndex={-1}
              aria-label={t('preview.code.line', { number })}
            />
            {to !== undefined && (
              <button
                type="button"
                className={styles.fold}
                data-fold={number}
                tabIndex={number === stop ? 0 : -1}
                aria-expanded={!folded.has(number)}
                aria-label={t('preview.code.block', { from: number, to })}
              />
            )}
            {html === undefined ? <code>{line}</code> : <code dangerouslySetInnerHTML={{ __html: html }} />}
          </div>
        );
      })}
    </div>
  );
});

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
