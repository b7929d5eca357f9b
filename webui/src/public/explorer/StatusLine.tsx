import { useState } from 'react';
import { useTimer } from '../../hooks/useTimer';
import { useLanguage, useT } from '../../i18n';
import { formatRelative, formatSize } from '../../shared/format';
import type { Kept } from '../../shared/query/folders';
import styles from './explorer.module.css';

/** A listing that is younger than this, in seconds, counts as just read. */
const justRead = 5;

/** StatusLine counts what is listed, and says when it was read and how old it was then. */
export function StatusLine({ kept: { listing, at, age } }: { kept: Kept }) {
  const t = useT();
  const language = useLanguage();
  const entries = listing.items;
  const folders = entries.filter(({ isDirectory }) => isDirectory).length;
  const files = entries.length - folders;
  const size = entries.reduce((sum, entry) => sum + (entry.isDirectory ? 0 : (entry.size ?? 0)), 0);
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(at);
  return (
    <p className={styles.status}>
      {folders > 0 && <span>{t('explorer.status.folders', folders)}</span>}
      {files > 0 && <span>{t('explorer.status.files', files)}</span>}
      {files > 0 && <span>{formatSize(size, language)}</span>}
      <span>{t('explorer.status.at', { time })}</span>
      {age >= justRead && <Cached since={at - age * 1000} />}
    </p>
  );
}

/** Cached says how long ago the storage was asked, and goes on counting. */
function Cached({ since }: { since: number }) {
  const t = useT();
  const language = useLanguage();
  const [now, setNow] = useState(() => new Date());
  useTimer(() => setNow(new Date()), 10_000, now);
  const ago = formatRelative(new Date(since), now, language);
  return <span>{t('explorer.status.cached', { ago })}</span>;
}
