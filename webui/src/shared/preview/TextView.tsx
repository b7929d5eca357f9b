import { useMemo } from 'react';
import styles from './text.module.css';

/** Lines of one block. The browser skips layout and paint of blocks out of sight. */
const blockLines = 400;

interface TextViewProps {
  text: string;
  wrap: boolean;
  /** label names the region for assistive technology. */
  label: string;
}

/** TextView shows text as it is, in a fixed-width font, of any length. */
export function TextView({ text, wrap, label }: TextViewProps) {
  const blocks = useMemo(() => cut(text), [text]);
  return (
    <div className={styles.box} role="region" aria-label={label} tabIndex={0} data-wrap={wrap || undefined}>
      {blocks.map((block, index) => (
        <pre
          key={index}
          dir="auto"
          className={blocks.length > 1 ? styles.block : styles.only}
          style={{ containIntrinsicBlockSize: `auto ${blockLines * 1.6}em` }}
        >
          {block}
        </pre>
      ))}
    </div>
  );
}

function cut(text: string): string[] {
  const blocks: string[] = [];
  let from = 0;
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (++lines % blockLines !== 0) continue;
    blocks.push(text.slice(from, at + 1));
    from = at + 1;
  }
  if (from < text.length || blocks.length === 0) blocks.push(text.slice(from));
  return blocks;
}
