import type { ReactNode } from 'react';
import styles from './ops.module.css';

/** Code is a text as a machine wrote it. It scrolls in itself, so it can be reached by keyboard. */
export function Code({ label, children }: { label: string; children: ReactNode }) {
  return (
    <pre className={styles.code} tabIndex={0} role="region" aria-label={label}>
      {children}
    </pre>
  );
}
