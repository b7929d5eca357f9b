import { useMemo } from 'react';
import { diffLines, type DiffLine } from './diff';
import { LineText } from './LineText';
import styles from './versions.module.css';

interface VersionsProps {
  /** base is what both began with. */
  base: string;
  mine: string;
  theirs: string;
  /** names of the two texts, and what is read out before a line that one of them has added or removed. */
  names: { mine: string; theirs: string; added: string; removed: string };
}

/** Versions shows two versions of a text side by side, each with what it changed of the text that both began with. */
export function Versions({ base, mine, theirs, names }: VersionsProps) {
  const sides = useMemo(
    () => ({ theirs: diffLines(base, theirs), mine: diffLines(base, mine) }),
    [base, theirs, mine],
  );
  return (
    <div className={styles.versions}>
      {(['theirs', 'mine'] as const).map((side) => (
        <div key={side}>
          <h3>{names[side]}</h3>
          <pre tabIndex={0} role="region" aria-label={names[side]}>
            {sides[side].map((line, index) => (
              <Line key={index} line={line} names={names} />
            ))}
          </pre>
        </div>
      ))}
    </div>
  );
}

function Line({ line, names }: { line: DiffLine } & Pick<VersionsProps, 'names'>) {
  if (line.in === 'both') return <span>{line.text}</span>;
  const change = line.in === 'mine' ? 'added' : 'removed';
  return (
    <mark className={styles.differs} data-change={change}>
      <span className="visually-hidden">{names[change]}</span>
      <LineText line={line} />
    </mark>
  );
}
