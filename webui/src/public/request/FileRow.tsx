import { Ban, Check, CircleAlert, RotateCcw, X } from 'lucide-react';
import { ApiError } from '../../api/client';
import { errorText } from '../../api/errorText';
import type { SentFile } from '../../api/requests';
import { hasMessage, useLanguage, useT, type Translate } from '../../i18n';
import { formatSize } from '../../shared/format';
import { IconButton } from '../../shared/ui';
import { UploadError } from '../../shared/uploader/errors';
import type { UploadItem, UploadQueue } from '../../shared/uploader/queue';
import { isTemporary } from '../../shared/uploader/share';
import styles from './request.module.css';

interface FileRowProps {
  item: UploadItem<SentFile>;
  queue: UploadQueue<SentFile>;
  /** refused says why the file cannot be sent; undefined when it can. */
  refused: string | undefined;
}

/** FileRow is one file that a sender has chosen: how far it is, and what can be done. */
export function FileRow({ item, queue, refused }: FileRowProps) {
  const t = useT();
  const language = useLanguage();
  const { id, name, file, status, queued, sent, stage } = item;
  const percent = file.size > 0 ? Math.floor((sent / file.size) * 100) : 100;
  const moves = status === 'uploading' || queued;
  const word = queued
    ? 'waiting'
    : status === 'uploading' && (stage === 'processing' || stage === 'completing')
      ? 'processing'
      : status;
  const problem = refused ?? (status === 'error' ? whyFailed(item.error, t) : undefined);
  return (
    <li className={styles.row}>
      <div className={styles.body}>
        <p className={styles.name} dir="auto">
          {name}
        </p>
        <p className={styles.facts}>
          <span>{formatSize(file.size, language)}</span>
          {!refused && <span>{t(`request.status.${word}`, { percent })}</span>}
        </p>
        {status === 'uploading' && (
          <progress max={100} value={percent} aria-label={t('request.progress', { name })} />
        )}
        {problem && (
          <p className={styles.problem}>
            <CircleAlert size={16} aria-hidden="true" />
            <span>{problem}</span>
          </p>
        )}
      </div>
      {status === 'success' && <Check size={20} className={styles.done} aria-hidden="true" />}
      {(status === 'error' || status === 'cancelled') && (
        <IconButton label={t('request.retry', { name })} onClick={() => queue.retry(id)}>
          <RotateCcw size={20} aria-hidden="true" />
        </IconButton>
      )}
      {moves ? (
        <IconButton label={t('request.cancel', { name })} onClick={() => queue.cancel(id)}>
          <Ban size={20} aria-hidden="true" />
        </IconButton>
      ) : (
        status !== 'success' && (
          <IconButton label={t('request.remove', { name })} onClick={() => queue.remove(id)}>
            <X size={20} aria-hidden="true" />
          </IconButton>
        )
      )}
    </li>
  );
}

/** whyFailed says in the sender's words what became of a file. */
function whyFailed(error: unknown, t: Translate): string {
  const said = error instanceof UploadError ? error.said : error;
  if (said instanceof ApiError) {
    const own = `request.code.${said.code}`;
    return hasMessage(own) ? t(own) : errorText(said, t);
  }
  return isTemporary(error) ? t('request.interrupted') : errorText(error, t);
}
