import { Ban, Check, Pause, Play, RotateCcw, X } from 'lucide-react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { IconButton, inputClass } from '../../shared/ui';
import type { MountTarget, UploadItem } from '../../shared/uploader';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { nameProblem } from './entries';
import { EntryIcon } from './EntryIcon';
import styles from './explorer.module.css';
import { uploads } from './uploads';

/** Clash is what is done with a name that is taken. */
export type Clash = 'replace' | 'both' | 'skip';

interface UploadLineProps {
  item: UploadItem<MountTarget>;
  /** folder it goes to, when that is not the one on the screen. */
  folder: string;
  /** clash is what will be done since the name is taken; undefined when it is free. */
  clash: Clash | undefined;
  onClash: (choice: Clash) => void;
  /** goesOn says that an upload which this browser has begun is continued. */
  goesOn: boolean;
  onRetry: () => void;
}

const clashes: readonly Clash[] = ['replace', 'both', 'skip'];

/** UploadLine is one file on its way into a folder. */
export function UploadLine({ item, folder, clash, onClash, goesOn, onRetry }: UploadLineProps) {
  const t = useT();
  const language = useLanguage();
  const { id, name, file, status } = item;
  const percent = file.size > 0 ? Math.floor((item.sent / file.size) * 100) : 100;
  const waiting = status === 'pending';
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
            : t(
                goesOn
                  ? 'explorer.upload.goesOn'
                  : status === 'paused'
                    ? 'explorer.upload.paused'
                    : `file.status.${status}`,
              )}
          {status === 'uploading' &&
            item.speed !== null &&
            ` · ${t('file.progress.speed', { speed: formatSize(item.speed, language) })}`}
        </p>
        {clash && (
          <label className={styles.clash}>
            <span className={styles.warn}>{t('explorer.upload.isTaken')}</span>
            <select
              className={inputClass}
              aria-label={t('explorer.upload.clashOf', { name })}
              value={clash}
              onChange={(event) => onClash(clashes.find((one) => one === event.target.value) ?? 'replace')}
            >
              {clashes.map((choice) => (
                <option key={choice} value={choice}>
                  {t(`explorer.upload.clash.${choice}`)}
                </option>
              ))}
            </select>
          </label>
        )}
        {(status === 'uploading' || status === 'paused') && (
          <progress max={100} value={percent} aria-label={t('file.list.progress', { name })} />
        )}
        {status === 'error' && <p className={styles.problem}>{uploadErrorText(item.error, t)}</p>}
      </div>
      {status === 'success' && <Check size={20} className={styles.ok} aria-hidden="true" />}
      {status === 'uploading' && (
        <IconButton label={t('explorer.upload.pause', { name })} onClick={() => uploads.pause(id)}>
          <Pause size={20} aria-hidden="true" />
        </IconButton>
      )}
      {status === 'paused' && (
        <IconButton label={t('explorer.upload.resume', { name })} onClick={() => uploads.resume(id)}>
          <Play size={20} aria-hidden="true" />
        </IconButton>
      )}
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
