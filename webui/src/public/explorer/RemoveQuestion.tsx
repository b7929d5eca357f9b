import type { Entry } from '../../api/fs';
import { useT } from '../../i18n';
import styles from './explorer.module.css';

/** Names that are written out; the rest is counted. */
const named = 10;

/** RemoveQuestion names what would be deleted, and says that folders take their content with them. */
export function RemoveQuestion({ entries }: { entries: readonly Entry[] }) {
  const t = useT();
  const folders = entries.some(({ isDirectory }) => isDirectory);
  return (
    <div className={styles.question}>
      {entries.length > 1 && (
        <ul>
          {entries.slice(0, named).map((entry) => (
            <li key={entry.path}>
              {entry.isDirectory ? t('explorer.remove.folder', { name: entry.name }) : entry.name}
            </li>
          ))}
          {entries.length > named && <li>{t('explorer.remove.more', entries.length - named)}</li>}
        </ul>
      )}
      {folders && <p>{t('explorer.remove.content')}</p>}
      <p>{t('explorer.remove.final')}</p>
    </div>
  );
}
