import type { Entry } from '../../api/fs';
import { config } from '../../config';
import { hrefOf } from './place';
import styles from './explorer.module.css';

/**
 * EntryLink is an entry's name as a link, so that the browser's own menu and
 * the middle button work; a plain click is handled by the line it stands in.
 */
export function EntryLink({ path, entry }: { path: string; entry: Entry }) {
  if (entry.reachable === false)
    return (
      <span className={styles.link} dir="auto">
        {entry.name}
      </span>
    );
  const href = entry.isDirectory ? hrefOf(entry.path) : hrefOf(path, entry.name);
  return (
    <a
      href={config.basePath + href}
      tabIndex={-1}
      draggable={false}
      className={styles.link}
      dir="auto"
      title={entry.name}
    >
      {entry.name}
    </a>
  );
}
