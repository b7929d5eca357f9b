import styles from './explorer.module.css';
import type { Box } from './layout';

/** Band is the rectangle that a mouse draws around entries. */
export function Band({ box }: { box: Box | undefined }) {
  if (!box) return null;
  return <div className={styles.band} style={box} aria-hidden="true" />;
}
