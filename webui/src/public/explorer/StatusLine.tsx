import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatSize } from '../../shared/format';
import styles from './explorer.module.css';

/** StatusLine counts what is listed, and says when it was read. */
export function StatusLine({ entries, at }: { entries: readonly Entry[]; at: number }) {
  const t = useT();
  const language = useLanguage();
  const folders = entries.filter(({ isDirectory }) => isDirectory).length;
  const files = entries.length - folders;
  const size = entries.reduce((sum, entry) => sum + (entry.isDirectory ? 0 : (entry.size ?? 0)), 0);
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(at);
  const counted = (key: string, count: number) =>
    t(`explorer.status.${key}`, { smart_count: count, count: formatNumber(count, language) });
  return (
    <p className={styles.status}>
      {folders > 0 && <span>{counted('folders', folders)}</span>}
      {files > 0 && <span>{counted('files', files)}</span>}
      {files > 0 && <span>{formatSize(size, language)}</span>}
      <span>{t('explorer.status.at', { time })}</span>
    </p>
  );
}
