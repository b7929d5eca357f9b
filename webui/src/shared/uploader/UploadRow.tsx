import { Ban, Check, CircleAlert, Pause, Play, RotateCcw, X } from 'lucide-react';
import { useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../auth/session';
import { useLanguage, useT, type Translate } from '../../i18n';
import { formatSize } from '../format';
import { FileGlyph } from '../preview/FileGlyph';
import { IconButton, inputClass } from '../ui';
import { begunOf } from './begun';
import { UploadError } from './errors';
import { Pace } from './Progress';
import { percentOf } from './queue';
import { uploadErrorText } from './uploadErrorText';
import { canPause, isMoving, stopUpload, uploads, type Upload } from './uploads';
import styles from './row.module.css';

interface UploadRowProps {
  item: Upload;
  /** where says whereto it goes, when the screen does not. */
  where?: string;
  /** note stands instead of its state while it waits to be sent. */
  note?: string | undefined;
  /** isName says whether a name can be used; by default any that is not blank. */
  isName?: (name: string) => boolean;
  onRetry: () => void;
  /** children are questions about this file. */
  children?: ReactNode;
}

/** UploadRow is one file on its way: name, size, how far it is, what can be done. */
export function UploadRow({
  item,
  where,
  note,
  isName = (name) => name.trim() !== '',
  onRetry,
  children,
}: UploadRowProps) {
  const t = useT();
  const language = useLanguage();
  const { id, name, file, status, queued } = item;
  const moves = isMoving(item);
  const place = where ?? (item.to === 'request' ? t('file.list.toRequest') : placeOf(item));
  const row = useRef<HTMLLIElement>(null);
  const actions = useRef<HTMLDivElement>(null);
  const held = useRef(false);
  // A button that goes with the state it has changed hands the focus on to what can be done now.
  useLayoutEffect(() => {
    if (held.current && document.activeElement === document.body)
      actions.current?.querySelector('button')?.focus();
  }, [status, queued]);
  function remove() {
    const other = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    uploads.remove(id);
    other?.querySelector('button')?.focus();
  }
  function keys(event: KeyboardEvent) {
    if (event.key === 'Delete' && !moves && !(event.target instanceof HTMLInputElement)) remove();
  }

  return (
    <li ref={row} className={styles.row} data-status={status} onKeyDown={keys}>
      <FileGlyph file={{ filename: name, mimetype: file.type, type: 0 }} />
      <div className={styles.rowBody}>
        {status === 'pending' && !queued ? (
          <input
            className={`${inputClass} ${styles.rename}`}
            dir="auto"
            aria-label={t('file.list.name', { name: file.name })}
            value={name}
            maxLength={255}
            spellCheck={false}
            onChange={(event) => uploads.rename(id, event.target.value)}
            onBlur={() => !isName(name) && uploads.rename(id, file.name)}
          />
        ) : (
          <p className={styles.rowName} dir="auto">
            {name}
          </p>
        )}
        <p className={styles.rowFacts}>
          {place && <span>{place}</span>}
          <span>{formatSize(file.size, language)}</span>
          <span className={styles.rowStatus}>{note ?? statusText(item, t)}</span>
          {status === 'uploading' && <Pace speed={item.speed} remaining={item.remaining} />}
        </p>
        {children}
        {(status === 'uploading' || status === 'paused') && (
          <progress
            max={100}
            value={percentOf(item.sent, file.size)}
            aria-label={t('file.list.progress', { name })}
          />
        )}
        {(status === 'error' || status === 'unregistered') && <Problem item={item} />}
      </div>
      {status === 'success' && <Check size={20} className={styles.rowDone} />}
      <div
        ref={actions}
        className={styles.rowActions}
        onFocus={() => (held.current = true)}
        onBlur={() => (held.current = false)}
      >
        {status === 'uploading' && canPause(item) && (
          <IconButton label={t('file.list.pause', { name })} onClick={() => uploads.pause(id)}>
            <Pause size={20} />
          </IconButton>
        )}
        {status === 'paused' && (
          <IconButton label={t('file.list.resume', { name })} onClick={() => uploads.resume(id)}>
            <Play size={20} />
          </IconButton>
        )}
        {moves && (
          <IconButton label={t('file.list.cancel', { name })} onClick={() => stopUpload(id)}>
            <Ban size={20} />
          </IconButton>
        )}
        {(status === 'error' || status === 'cancelled' || status === 'unregistered') && (
          <IconButton
            label={t(status === 'unregistered' ? 'file.list.register' : 'file.list.retry', { name })}
            onClick={onRetry}
          >
            <RotateCcw size={20} />
          </IconButton>
        )}
        {!moves && (
          <IconButton label={t('file.list.remove', { name })} onClick={remove}>
            <X size={20} />
          </IconButton>
        )}
      </div>
    </li>
  );
}

/** placeOf names the folder that a file goes to. */
const placeOf = ({ folder }: Upload) => (folder && !folder.endsWith('/') ? `${folder}/` : folder);

/** Trouble is a sentence about what is wrong with a file. */
export const Trouble = ({ children }: { children: ReactNode }) => (
  <p className={styles.rowError}>
    <CircleAlert size={16} />
    <span>{children}</span>
  </p>
);

/** Problem says what went wrong with a file, and what may help. */
function Problem({ item }: { item: Upload }) {
  const t = useT();
  const admin = useSession().kind === 'admin';
  const { error, file, status, to } = item;
  const reason = uploadErrorText(error, t, to);
  const hidden = error instanceof UploadError && error.failure === 'noETag';
  return (
    <Trouble>
      {status === 'unregistered' ? t('file.errors.unregistered', { reason }) : reason}{' '}
      {status === 'error' && begunOf(file) && t('file.errors.kept')}
      {hidden && admin && <Link href="/admin/storage-config">{t('file.errors.checkStorage')}</Link>}
    </Trouble>
  );
}

function statusText(item: Upload, t: Translate): string {
  if (item.status === 'pending') return t(item.queued ? 'file.status.pending' : 'file.status.ready');
  if (item.status === 'cancelled' && item.error instanceof UploadError) {
    const { discarded } = item.error;
    if (discarded === true) return t('file.status.cancelledDeleted');
    if (discarded === false) return t('file.status.cancelledLeft');
  }
  const percent = percentOf(item.sent, item.file.size);
  if (item.status !== 'uploading') return t(`file.status.${item.status}`, { percent });
  return t(`file.stage.${item.stage}`, { percent });
}
