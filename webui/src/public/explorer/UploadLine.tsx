import { Ban, Check, RotateCcw, X } from 'lucide-react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { IconButton, inputClass } from '../../shared/ui';
import { unfinished, type MountTarget, type UploadItem } from '../../shared/uploader';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { nameProblem } from './entries';
import { EntryIcon } from './EntryIcon';
import styles from './explorer.module.css';
import { uploads } from './uploads';

interface UploadLineProps {
  item: UploadItem<MountTarget>;
  /** folder it goes to, when that is not the one on the screen. */
  folder: string;
  /** replaces says that a file of this name lies there already. */
  replaces: boolean;
  onRetry: () => void;
}

/** UploadLine is one file on its way into a folder. */
export function UploadLine({ item, folder, replaces, onRetry }: UploadLineProps) {
  const t = useT();
  const language = useLanguage();
  const { id, name, file, status } = item;
  const percent = file.size > 0 ? Math.floor((item.sent / file.size) * 100) : 100;
  const waiting = status === 'pending';
  const goesOn = waiting && unfinished(file, { folder: item.folder, name }) !== undefined;
  return (
    <li className={styles.upload} data-status={status}>
      <EntryIcon entry={{ name, isDirectory: false }} />
      <div className={styles.uploadBody}>
        {waiting ? (
          <input
            className={inputClass}
            aria-label={t('file.list.name', { name: file.name })}
            value={name}
            maxLength={255}
            spellCheck={false}
            onChange={(event) => uploads.rename(id, event.target.value)}
            onBlur={() => nameProblem(name, []) && uploads.rename(id, file.name)}
          />
        ) : (
          <p>{name}</p>
        )}
        <p className={styles.facts}>
          {folder && `${folder} · `}
          {formatSize(file.size, language)} ·{' '}
          {status === 'uploading'
            ? t(`file.stage.${item.stage}`, { percent })
            : t(goesOn ? 'explorer.upload.goesOn' : `file.status.${status}`)}
        </p>
        {waiting && replaces && !goesOn && <p className={styles.warn}>{t('explorer.upload.replaces')}</p>}
        {status === 'uploading' && (
          <progress max={100} value={percent} aria-label={t('file.list.progress', { name })} />
        )}
        {status === 'error' && <p className={styles.problem}>{uploadErrorText(item.error, t)}</p>}
      </div>
      {status === 'success' && <Check size={20} className={styles.ok} aria-hidden="true" />}
      {status === 'uploading' && (
        <IconButton label={t('file.list.cancel', { name })} onClick={() => uploads.cancel(id)}>
          <Ban size={20} aria-hidden="true" />
        </IconButton>
      )}
      {(status === 'error' || status === 'cancelled') && (
        <IconButton label={t('file.list.retry', { name })} onClick={onRetry}>
          <RotateCcw size={20} aria-hidden="true" />
        </IconButton>
      )}
      {status !== 'uploading' && (
        <IconButton label={t('file.list.remove', { name })} onClick={() => uploads.remove(id)}>
          <X size={20} aria-hidden="true" />
        </IconButton>
      )}
    </li>
  );
}
