import { Ban, CircleAlert, Pause, Play, RotateCcw, X } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Link } from 'wouter';
import type { CommittedFile } from '../../api/types';
import { useSession } from '../../auth/session';
import { useLanguage, useT, type Translate } from '../../i18n';
import { formatSize } from '../../shared/format';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { IconButton, inputClass } from '../../shared/ui';
import { UploadError, type UploadItem } from '../../shared/uploader';
import { formatDuration } from '../../shared/uploader/duration';
import styles from './upload.module.css';
import { begunOf } from '../../shared/uploader/shareParts';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { goesInParts, stop, uploads } from './uploads';

interface UploadRowProps {
  item: UploadItem<CommittedFile>;
  onRetry: (id: number) => void;
}

/** UploadRow is one file on its way: name, size, how far it is, what can be done. */
export function UploadRow({ item, onRetry }: UploadRowProps) {
  const t = useT();
  const language = useLanguage();
  const { id, name, file, status, queued } = item;
  const moves = status === 'uploading' || status === 'paused' || queued;
  function keys(event: KeyboardEvent) {
    if (event.key === 'Delete' && !moves && !(event.target instanceof HTMLInputElement)) uploads.remove(id);
  }

  const path = item.folder ? `${item.folder}/` : '';
  return (
    <li className={styles.row} data-status={status} onKeyDown={keys}>
      <FileGlyph file={{ filename: name, mimetype: file.type, type: 0 }} />
      <div className={styles.rowBody}>
        {status === 'pending' && !queued ? (
          <input
            className={`${inputClass} ${styles.rename}`}
            aria-label={t('file.list.name', { name: file.name })}
            value={name}
            maxLength={255}
            spellCheck={false}
            onChange={(event) => uploads.rename(id, event.target.value)}
            onBlur={() => name.trim() === '' && uploads.rename(id, file.name)}
          />
        ) : (
          <p className={styles.rowName}>{name}</p>
        )}
        <p className={styles.rowFacts}>
          {path && <span>{path}</span>}
          <span>{formatSize(file.size, language)}</span>
          <span className={styles.rowStatus}>{statusText(item, t)}</span>
          {item.speed !== null && status === 'uploading' && (
            <span>{t('file.progress.speed', { speed: formatSize(item.speed, language) })}</span>
          )}
          {item.remaining !== null && status === 'uploading' && (
            <span>{t('file.progress.left', { time: formatDuration(item.remaining, t) })}</span>
          )}
        </p>
        {(status === 'uploading' || status === 'paused') && (
          <progress
            max={100}
            value={file.size > 0 ? Math.floor((item.sent / file.size) * 100) : 100}
            aria-label={t('file.list.progress', { name })}
          />
        )}
        {(status === 'error' || status === 'unregistered') && <Problem item={item} />}
      </div>
      <div className={styles.rowActions}>
        {status === 'uploading' && goesInParts(file) && (
          <IconButton label={t('file.list.pause', { name })} onClick={() => uploads.pause(id)}>
            <Pause size={20} aria-hidden="true" />
          </IconButton>
        )}
        {status === 'paused' && (
          <IconButton label={t('file.list.resume', { name })} onClick={() => uploads.resume(id)}>
            <Play size={20} aria-hidden="true" />
          </IconButton>
        )}
        {moves && (
          <IconButton label={t('file.list.cancel', { name })} onClick={() => stop(id)}>
            <Ban size={20} aria-hidden="true" />
          </IconButton>
        )}
        {(status === 'error' || status === 'cancelled' || status === 'unregistered') && (
          <IconButton
            label={t(status === 'unregistered' ? 'file.list.register' : 'file.list.retry', { name })}
            onClick={() => onRetry(id)}
          >
            <RotateCcw size={20} aria-hidden="true" />
          </IconButton>
        )}
        {!moves && (
          <IconButton label={t('file.list.remove', { name })} onClick={() => uploads.remove(id)}>
            <X size={20} aria-hidden="true" />
          </IconButton>
        )}
      </div>
    </li>
  );
}

/** Problem says what went wrong with a file, and what may help. */
function Problem({ item }: { item: UploadItem<CommittedFile> }) {
  const t = useT();
  const admin = useSession().kind === 'admin';
  const { error, file, status } = item;
  const reason = uploadErrorText(error, t);
  const hidden = error instanceof UploadError && error.failure === 'noETag';
  return (
    <p className={styles.rowError}>
      <CircleAlert size={16} aria-hidden="true" />
      <span>
        {status === 'unregistered' ? t('file.errors.unregistered', { reason }) : reason}{' '}
        {status === 'error' && begunOf(file) && t('file.errors.kept')}
        {hidden && admin && <Link href="/admin/storage-config">{t('file.errors.checkStorage')}</Link>}
      </span>
    </p>
  );
}

function statusText(item: UploadItem<CommittedFile>, t: Translate): string {
  if (item.status === 'pending') return t(item.queued ? 'file.status.pending' : 'file.status.ready');
  if (item.status === 'cancelled' && item.error instanceof UploadError) {
    const { discarded } = item.error;
    if (discarded === true) return t('file.status.cancelledDeleted');
    if (discarded === false) return t('file.status.cancelledLeft');
  }
  const percent = item.file.size > 0 ? Math.floor((item.sent / item.file.size) * 100) : 0;
  if (item.status !== 'uploading') return t(`file.status.${item.status}`, { percent });
  return t(`file.stage.${item.stage}`, { percent });
}
