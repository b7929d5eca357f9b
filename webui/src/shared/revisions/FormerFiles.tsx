import { queryOptions, useMutation } from '@tanstack/react-query';
import { Download, RotateCcw } from 'lucide-react';
import { errorText } from '../../api/errorText';
import { keepFormerFiles, listFormerFiles, readFormerFile, restoreFormerFile } from '../../api/formerFiles';
import type { FormerFiles as Former } from '../../api/types';
import { useT } from '../../i18n';
import { ErrorPanel } from '../problem/ErrorPanel';
import { Queries } from '../query/Queries';
import { revisionsChanged } from '../query/revisions';
import { useReading } from '../query/useReading';
import { saveBlob } from '../saveBlob';
import { IconButton, Skeleton, Time, toast } from '../ui';
import { Facts, Keep } from './Revisions';
import styles from './revisions.module.css';

interface FormerFilesProps {
  /** id of an own file share. */
  id: string;
  /** onRestored is called when an earlier file came back. */
  onRestored: () => void;
}

/** FormerFiles shows the owner of a file share the files it had before, and brings one back. */
export default function FormerFiles(props: FormerFilesProps) {
  return (
    <Queries>
      <List {...props} />
    </Queries>
  );
}

function List({ id, onRestored }: FormerFilesProps) {
  const t = useT();
  const {
    data: history,
    error,
    retry,
  } = useReading(
    queryOptions({
      queryKey: ['revisions', 'share', id],
      queryFn: ({ signal }) => listFormerFiles(id, signal),
    }),
  );
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  if (!history) return <Skeleton lines={3} />;
  return (
    <div className={styles.former}>
      {history.revisions.length === 0 && <p>{t(`revisions.share.${history.keep ? 'empty' : 'off'}`)}</p>}
      {history.revisions.length > 0 && (
        <ul className={styles.files} aria-label={t('revisions.list')}>
          {history.revisions.map((one) => (
            <File key={one.version} id={id} file={one} onRestored={onRestored} />
          ))}
        </ul>
      )}
      <Keep
        source={{ of: 'share', id, keep: (keep) => keepFormerFiles(id, keep) }}
        keep={history.keep}
        any={history.revisions.length > 0}
      />
    </div>
  );
}

function File({ id, file, onRestored }: FormerFilesProps & { file: Former['revisions'][number] }) {
  const t = useT();
  const failed = (failure: Error) => toast.error(errorText(failure, t));
  const download = useMutation({
    mutationFn: () => readFormerFile(id, file.version),
    onSuccess: (bytes) => saveBlob(bytes, file.filename),
    onError: failed,
  });
  const restore = useMutation({
    mutationFn: () => restoreFormerFile(id, file.version),
    onSuccess: () => {
      toast.success(t('revisions.restored'));
      onRestored();
    },
    onError: failed,
    onSettled: () => revisionsChanged({ of: 'share', id }),
  });
  return (
    <li className={styles.file}>
      <span>
        <bdi>{file.filename}</bdi>
        <span className={styles.facts}>
          <Time value={file.edited_at} />
          <Facts revision={file} />
        </span>
      </span>
      <IconButton
        label={t('revisions.downloadOf', { name: file.filename })}
        disabled={download.isPending}
        onClick={() => download.mutate()}
      >
        <Download size={18} />
      </IconButton>
      <IconButton
        label={t('revisions.restoreOf', { name: file.filename })}
        disabled={restore.isPending}
        onClick={() => restore.mutate()}
      >
        <RotateCcw size={18} />
      </IconButton>
    </li>
  );
}
