import { Download, Folder } from 'lucide-react';
import { useState } from 'react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../format';
import { saveBlob } from '../saveBlob';
import { IconButton, Skeleton, toast } from '../ui';
import { TextField } from '../ui/Field';
import { tarKind } from './archives';
import { KindIcon } from './KindIcon';
import { Settled, type FilePreviewProps } from './Settled';
import { loadRange } from './loadText';
import styles from './preview.module.css';
import { scriptSource, type PreviewedFile } from './previewed';
import { listTar, type Listing } from './tar';
import { Unshown } from './Unshown';
import { useWork } from './useWork';
import {
  findDirectory,
  opens,
  readDirectory,
  tailLength,
  unpack,
  type ArchiveEntry,
  type ZipEntry,
} from './zip';

/** Entries that are listed, and bytes of a directory that are read. */
const mostEntries = 2000;
const longestDirectory = 4 << 20;

/** Entries from which on one can search among them. */
const searchedFrom = 20;

/** ArchiveList lists what an archive holds. Of a ZIP file only its end is fetched, and what is taken out of it. */
export default function ArchiveList({ file, onSettled }: FilePreviewProps) {
  const t = useT();
  const language = useLanguage();
  const { value: listing, failed } = useWork(['archive', scriptSource(file).url], (signal) =>
    listed(file, language, signal),
  );
  const [asked, setAsked] = useState('');
  if (failed || listing?.entries.length === 0) {
    return (
      <>
        <Settled onSettled={onSettled} />
        <Unshown file={file} text={t('viewers.other')} />
      </>
    );
  }
  if (!listing) return <Skeleton height={320} />;
  const { entries, cut } = listing;
  const files = entries.filter(({ folder }) => !folder);
  const size = files.reduce((sum, entry) => sum + entry.size, 0);
  const words = asked.trim().toLowerCase();
  const shown = words ? entries.filter(({ name }) => name.toLowerCase().includes(words)) : entries;
  return (
    <>
      <Settled onSettled={onSettled} />
      <div className={styles.toolbar}>
        <p className={styles.archiveFacts}>
          {t(cut ? 'viewers.archive.beginning' : 'viewers.archive.facts', {
            smart_count: files.length,
            size: formatSize(size, language),
          })}
        </p>
        {entries.length >= searchedFrom && (
          <TextField
            className={styles.archiveSearch}
            type="search"
            label={t('viewers.archive.search')}
            value={asked}
            onChange={(event) => setAsked(event.target.value)}
          />
        )}
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
            {shown.map((entry, index) => (
              <Row key={index} file={file} entry={entry} />
            ))}
          </tbody>
        </table>
        {shown.length === 0 && <p className={styles.archiveNone}>{t('viewers.archive.none')}</p>}
      </div>
    </>
  );
}

function Row({ file, entry }: { file: PreviewedFile; entry: ArchiveEntry | ZipEntry }) {
  const language = useLanguage();
  const path = entry.name.replace(/\/$/, '');
  const at = path.lastIndexOf('/') + 1;
  return (
    <tr>
      <td>
        <span className={styles.archiveName}>
          {entry.folder ? (
            <Folder size={18} />
          ) : (
            <KindIcon file={{ filename: path, mimetype: '', type: 0 }} size={18} />
          )}
          <span>
            {at > 0 && <span className={styles.archiveFolder}>{path.slice(0, at)}</span>}
            {path.slice(at)}
          </span>
          {'at' in entry && opens(entry) && <TakeOut file={file} entry={entry} name={path.slice(at)} />}
        </span>
      </td>
      <td>{entry.folder ? '' : formatSize(entry.size, language)}</td>
    </tr>
  );
}

/** TakeOut downloads one entry of an archive. */
function TakeOut({ file, entry, name }: { file: PreviewedFile; entry: ZipEntry; name: string }) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  async function take() {
    setBusy(true);
    try {
      saveBlob(await unpack(scriptSource(file), entry, AbortSignal.timeout(600_000)), name);
    } catch {
      toast.error(t('viewers.archive.damaged', { name }));
    } finally {
      setBusy(false);
    }
  }
  return (
    <IconButton label={t('viewers.archive.take', { name })} disabled={busy} onClick={() => void take()}>
      <Download size={18} />
    </IconButton>
  );
}

function listed(file: PreviewedFile, language: string, signal: AbortSignal): Promise<Listing> {
  const tar = tarKind(file.filename);
  if (!tar) return listZip(file, language, signal);
  return listTar(
    scriptSource(file),
    { size: file.size, packed: tar === 'packed', most: mostEntries, language },
    signal,
  );
}

async function listZip(file: PreviewedFile, language: string, signal: AbortSignal): Promise<Listing> {
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
  const entries = readDirectory(bytes, language, mostEntries);
  return { entries, cut: entries.length === mostEntries };
}
