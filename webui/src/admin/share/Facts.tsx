import type { ReactNode } from 'react';
import styles from './share.module.css';

interface FactsProps {
  of: readonly (readonly [label: string, fact: ReactNode])[];
  className?: string | undefined;
}

/** Facts are things known by their names, one beside the other; what is not there is left out. */
export function Facts({ of, className = styles.facts }: FactsProps) {
  const there = of.filter(([, fact]) => fact !== null && fact !== undefined && fact !== '' && fact !== false);
  return (
    <dl className={className}>
      {there.map(([label, fact]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
