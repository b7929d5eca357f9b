import type { DiffLine } from './diff';
import styles from './versions.module.css';

/** LineText is a line of a comparison with the words marked that differ; an empty one keeps its height. */
export function LineText({ line }: { line: DiffLine }) {
  if (!line.parts) return line.text || ' ';
  return line.parts.map((part, index) =>
    part.changed ? (
      <strong key={index} className={styles.words}>
        {part.text}
      </strong>
    ) : (
      <span key={index}>{part.text}</span>
    ),
  );
}
