import { useMemo } from 'react';
import { diffLines, type DiffLine } from './diff';
import { LineText } from './LineText';
import styles from './versions.module.css';

interface VersionsProps {
  mine: string;
  theirs: string;
  /** names of the two texts, and what is read out before a line that differs. */
  names: { mine: string; theirs: string; differs: string };
}

/** Versions shows two versions of a text side by side, with the lines marked that differ. */
export function Versions({ mine, theirs, names }: VersionsProps) {
  const lines = useMemo(() => diffLines(theirs, mine), [theirs, mine]);
  return (
    <div className={styles.versions}>
      <Version name={names.theirs} differs={names.differs} lines={lines} side="theirs" />
      <Version name={names.mine} differs={names.differs} lines={lines} side="mine" />
    </div>
  );
}

interface VersionProps {
  name: string;
  differs: string;
  lines: readonly DiffLine[];
  side: 'theirs' | 'mine';
}

function Version({ name, differs, lines, side }: VersionProps) {
  const own = lines.filter((line) => line.in === 'both' || line.in === side);
  return (
    <div>
      <h3>{name}</h3>
      <pre tabIndex={0} role="region" aria-label={name}>
        {own.map((line, index) =>
          line.in === 'both' ? (
            <span key={index}>{line.text}</span>
          ) : (
            <mark key={index} className={styles.differs}>
              <span className="visually-hidden">{differs}</span>
              <LineText line={line} />
            </mark>
          ),
        )}
      </pre>
    </div>
  );
}
