import { useQuery } from '@tanstack/react-query';
import type { Entry } from '../../api/fs';
import { useT } from '../../i18n';
import { sizesQuery } from '../../shared/query/folders';
import { Queries } from '../../shared/query/Queries';
import styles from './explorer.module.css';

/** Names that are written out; the rest is counted. */
const named = 10;

/** RemoveQuestion names what would be deleted, and says that folders take their content with them. */
export function RemoveQuestion({ entries }: { entries: readonly Entry[] }) {
  // A question is shown by the frame of the site, outside the page that asks it.
  return (
    <Queries>
      <Question entries={entries} />
    </Queries>
  );
}

function Question({ entries }: { entries: readonly Entry[] }) {
  const t = useT();
  const folders = entries.filter(({ isDirectory }) => isDirectory);
  const count = useCount(folders);
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
      {folders.length > 0 && (
        <p role="status">
          {t('explorer.remove.content', folders.length)}
          {count !== undefined && ` ${t('explorer.remove.holds', count)}`}
        </p>
      )}
      <p>{t('explorer.remove.final')}</p>
    </div>
  );
}

/** Folders that are counted; more would keep the storage busy for a number. */
const countedFolders = 10;

/** useCount is how many files lie in folders; undefined until it is known. */
function useCount(folders: readonly Entry[]): number | undefined {
  const paths = folders.map(({ path }) => path);
  // The question stands without the number.
  const { data } = useQuery({
    ...sizesQuery(paths),
    enabled: paths.length > 0 && paths.length <= countedFolders,
  });
  return data?.reduce((sum, { files }) => sum + files, 0);
}
