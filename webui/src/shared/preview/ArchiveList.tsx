import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../format';
import { Skeleton } from '../ui';
import { DownloadLink } from './DownloadLink';
import { Settled, type FilePreviewProps } from './Settled';
import { loadRange } from './loadText';
import styles from './preview.module.css';
import { scriptSource, type PreviewedFile } from './previewed';
import { Unshown } from './Unshown';
import { useWork } from './useWork';
import { findDirectory, readDirectory, tailLength, type ZipEntry } from './zip';

/** Entries that are listed, and bytes of a directory that are read. */
const mostEntries = 2000;
const longestDirectory = 4 << 20;

/** ArchiveList lists what a ZIP file holds. Only its end is fetched, however large it is. */
export default function ArchiveList({ file, onSettled }: FilePreviewProps) {
  const t = useT();
  const language = useLanguage();
  const { value: entries, failed } = useWork(['archive', scriptSource(file).url], (signal) =>
    entriesOf(file, language, signal),
  );
  if (failed || entries?.length === 0) {
    return (
      <>
        <Settled onSettled={onSettled} />
        <Unshown file={file} text={t('preview.other')} />
      </>
    );
  }
  if (!entries) return <Skeleton height={320} />;
  const files = entries.filter(({ folder }) => !folder);
  const size = files.reduce((sum, entry) => sum + entry.size, 0);
  return (
    <>
      <Settled onSettled={onSettled} />
      <div className={styles.toolbar}>
        <p className={styles.archiveFacts}>
          {t('viewers.archive.facts', { smart_count: files.length, size: formatSize(size, language) })}
          {entries.length === mostEntries && ` ${t('viewers.archive.cut', { most: mostEntries })}`}
        </p>
        <DownloadLink file={file} />
      </div>
      <div className={styles.archive} role="region" aria-label={t('viewers.archive.label')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('viewers.archive.name')}</th>
              <th scope="col">{t('viewers.archive.size')}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry, index) => (
              <tr key={index}>
                <td>{entry.name}</td>
                <td>{entry.folder ? '' : formatSize(entry.size, language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

async function entriesOf(file: PreviewedFile, language: string, signal: AbortSignal): Promise<ZipEntry[]> {
  const source = scriptSource(file);
  const start = Math.max(0, file.size - tailLength);
  const tail = await loadRange(source, start, file.size - start, signal);
  const place = findDirectory(tail, file.size);
  if (!place) throw new Error('no directory at the end of the archive');
  const length = Math.min(place.to - place.from, longestDirectory);
  const bytes =
    place.from >= start
      ? tail.subarray(place.from - start, place.from - start + length)
      : await loadRange(source, place.from, length, signal);
  return readDirectory(bytes, language, mostEntries);
}
