import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useMemo, useState, type MouseEvent } from 'react';
import { useT } from '../../i18n';
import styles from './document.module.css';
import type { Heading } from './headings';
import { outlineTree, type OutlineNode } from './outlineTree';

/** Outline is the tree of a text's headings; the one being read is marked. */
export function Outline({ headings }: { headings: Heading[] }) {
  const t = useT();
  const tree = useMemo(() => outlineTree(headings), [headings]);
  const current = useCurrentHeading(headings);
  if (headings.length === 0) return <p className={styles.none}>{t('markdownView.outlineEmpty')}</p>;
  return (
    <nav aria-label={t('markdownView.outline')}>
      <Branch nodes={tree} current={current} />
    </nav>
  );
}

/** Thousands of headings stand in several lists, of which only those in sight are laid out. */
const partLength = 100;

function Branch({ nodes, current }: { nodes: OutlineNode[]; current: string }) {
  const parts = Array.from({ length: Math.ceil(nodes.length / partLength) }, (_, at) =>
    nodes.slice(at * partLength, (at + 1) * partLength),
  );
  return parts.map((part, at) => (
    <ul key={at} className={`${styles.branch} ${parts.length > 1 ? styles.part : ''}`}>
      {part.map((node) => (
        <Entry key={node.heading.id} node={node} current={current} />
      ))}
    </ul>
  ));
}

function Entry({ node, current }: { node: OutlineNode; current: string }) {
  const t = useT();
  const [open, setOpen] = useState(true);
  const { heading, children } = node;
  const Arrow = open ? ChevronDown : ChevronRight;
  return (
    <li>
      <div className={styles.entry} data-current={heading.id === current || undefined}>
        {children.length > 0 ? (
          <button
            type="button"
            aria-expanded={open}
            aria-label={t('markdownView.outlineBranch', { name: heading.text })}
            onClick={() => setOpen(!open)}
          >
            <Arrow size={16} aria-hidden="true" />
          </button>
        ) : (
          <span />
        )}
        <a
          href={`#${encodeURIComponent(heading.id)}`}
          aria-current={heading.id === current ? 'location' : undefined}
          onClick={(event) => goTo(event, heading.id)}
        >
          {heading.text || t('markdownView.outlineUnnamed')}
        </a>
      </div>
      {open && children.length > 0 && <Branch nodes={children} current={current} />}
    </li>
  );
}

function goTo(event: MouseEvent, id: string) {
  const heading = document.getElementById(id);
  if (!heading) return;
  event.preventDefault();
  history.replaceState(history.state, '', `#${encodeURIComponent(id)}`);
  heading.scrollIntoView();
  heading.focus({ preventScroll: true });
}

/** countAbove halves its way to the first heading below; asking where a distant one stands makes the browser lay it out. */
function countAbove(headings: readonly Heading[], isAbove: (heading: Heading) => boolean): number {
  let low = 0;
  let high = headings.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const heading = headings[middle];
    if (heading && isAbove(heading)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** useCurrentHeading follows the scrolling: the last heading above the upper third of the window. */
function useCurrentHeading(headings: Heading[]): string {
  const [current, setCurrent] = useState('');
  useEffect(() => {
    let waiting = false;
    const find = () => {
      waiting = false;
      const line = window.innerHeight / 3;
      const isAbove = ({ id }: Heading) =>
        (document.getElementById(id)?.getBoundingClientRect().top ?? Infinity) <= line;
      setCurrent(headings[Math.max(0, countAbove(headings, isAbove) - 1)]?.id ?? '');
    };
    const soon = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(find);
    };
    soon();
    addEventListener('scroll', soon, { passive: true });
    return () => removeEventListener('scroll', soon);
  }, [headings]);
  return current;
}
