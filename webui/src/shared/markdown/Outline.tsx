import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo, useEffect, useMemo, useState, type MouseEvent } from 'react';
import { useTimer } from '../../hooks/useTimer';
import { useT } from '../../i18n';
import styles from './document.module.css';
import type { Heading } from './headings';
import { countAbove, holds, outlineParts, outlineTree, type OutlineNode } from './outlineTree';

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

/** Thousands of headings stand in lists of about so many, which are drawn one by one and laid out when in sight. */
const partLength = 100;

interface BranchProps {
  nodes: OutlineNode[];
  /** current is the place of the heading that is being read, if it is here; else -1. */
  current: number;
}

function Branch({ nodes, current }: BranchProps) {
  const parts = useMemo(() => outlineParts(nodes, partLength), [nodes]);
  const drawn = useGrowing(parts.length);
  return parts
    .slice(0, drawn)
    .map((part, at) => (
      <Part key={at} nodes={part} current={holds(part, current) ? current : -1} isOne={parts.length > 1} />
    ));
}

/** useGrowing counts up to the given number, between whose steps the page answers. */
function useGrowing(count: number): number {
  const [reached, setReached] = useState(1);
  useTimer(() => setReached(reached + 1), reached < count ? 0 : undefined, reached);
  return reached;
}

/** Part is drawn again only when the heading being read comes into it, moves in it or leaves it. */
const Part = memo(function Part({ nodes, current, isOne }: BranchProps & { isOne: boolean }) {
  return (
    <ul className={`${styles.branch} ${isOne ? styles.part : ''}`}>
      {nodes.map((node) => (
        <Entry key={node.heading.id} node={node} current={current} />
      ))}
    </ul>
  );
});

function Entry({ node, current }: { node: OutlineNode; current: number }) {
  const t = useT();
  const [open, setOpen] = useState(true);
  const { heading, children, at } = node;
  const isCurrent = at === current;
  const Arrow = open ? ChevronDown : ChevronRight;
  return (
    <li>
      <div className={styles.entry} data-current={isCurrent || undefined}>
        {children.length > 0 ? (
          <button
            type="button"
            aria-expanded={open}
            aria-label={t('markdownView.outlineBranch', { name: heading.text })}
            onClick={() => setOpen(!open)}
          >
            <Arrow size={16} />
          </button>
        ) : (
          <span />
        )}
        <a
          href={`#${encodeURIComponent(heading.id)}`}
          dir="auto"
          aria-current={isCurrent ? 'location' : undefined}
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

/** useCurrentHeading follows the scrolling: the place of the last heading above the upper third of the window. */
function useCurrentHeading(headings: Heading[]): number {
  const [current, setCurrent] = useState(-1);
  useEffect(() => {
    let waiting = false;
    let above = 0;
    const find = () => {
      waiting = false;
      const line = window.innerHeight / 3;
      above = countAbove(headings.length, above, (at) => {
        const heading = document.getElementById(headings[at]?.id ?? '');
        return (heading?.getBoundingClientRect().top ?? Infinity) <= line;
      });
      setCurrent(Math.max(0, above - 1));
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
