import { RotateCcw, Upload as UploadIcon } from 'lucide-react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Button, IconButton } from '../../shared/ui';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { percentOf } from '../../shared/uploader/queue';
import { uploads, type Upload } from '../../shared/uploader/uploads';
import type { Asked } from './asked';
import styles from './explorer.module.css';

interface TransferLineProps {
  /** items are the files that have begun. */
  items: readonly Upload[];
  onAsk: (asked: Asked) => void;
}

/** TransferLine is this page's uploads as one task; their dialog has the controls of every file. */
export function TransferLine({ items, onAsk }: TransferLineProps) {
  const t = useT();
  const language = useLanguage();
  const active = items.some(({ status, queued }) => status === 'uploading' || queued);
  const paused = items.some(({ status }) => status === 'paused');
  const failed = items.filter(
    ({ status }) => status === 'error' || status === 'cancelled' || status === 'unregistered',
  );
  const done = items.filter(({ status }) => status === 'success').length;
  const wrong = items.filter(({ status }) => status === 'error' || status === 'unregistered').length;
  const counted = items.filter(({ status }) => status !== 'cancelled');
  const bytes = counted.reduce((sum, { file }) => sum + file.size, 0);
  const sent = counted.reduce((sum, item) => sum + item.sent, 0);
  const state = active
    ? 'running'
    : paused
      ? 'paused'
      : wrong === 0
        ? 'completed'
        : done > 0
          ? 'partial'
          : 'failed';
  const name = t('explorer.tasks.uploads', items.length);
  return (
    <li className={styles.task} data-status={state}>
      <UploadIcon size={20} />
      <div className={styles.uploadBody}>
        <p dir="auto">{name}</p>
        <p className={styles.facts}>
          {t('explorer.tasks.types.upload')} ·{' '}
          <span className={styles.state}>{t(`explorer.tasks.states.${state}`)}</span> · {done} /{' '}
          {counted.length}
          {wrong > 0 && ` · ${t('explorer.failed.title', wrong)}`} · {formatSize(sent, language)} /{' '}
          {formatSize(bytes, language)}
        </p>
        {(active || paused) && (
          <progress
            max={Math.max(1, bytes)}
            value={sent}
            aria-label={t('explorer.tasks.progress', { name })}
          />
        )}
        <details>
          <summary className={styles.facts}>{t('explorer.tasks.details', items.length)}</summary>
          <ul className={styles.taskItems}>
            {items.map((item) => (
              <li key={item.id} data-status={item.status === 'error' ? 'failed' : item.status}>
                <span>
                  {item.to === 'mount' ? `${item.folder === '/' ? '' : item.folder}/${item.name}` : item.name}
                </span>
                <span className={styles.state}>
                  {item.status === 'uploading'
                    ? t(`file.stage.${item.stage}`, { percent: percentOf(item.sent, item.file.size) })
                    : t(`file.status.${item.status}`, { percent: percentOf(item.sent, item.file.size) })}
                </span>
                {(item.status === 'error' || item.status === 'unregistered') && (
                  <span className={styles.problem}>{uploadErrorText(item.error, t)}</span>
                )}
              </li>
            ))}
          </ul>
        </details>
      </div>
      {!active && failed.length > 0 && (
        <IconButton
          label={t('explorer.tasks.retry', { name })}
          onClick={() => {
            for (const { id } of failed) uploads.retry(id);
          }}
        >
          <RotateCcw size={20} />
        </IconButton>
      )}
      <Button onClick={() => onAsk({ kind: 'upload' })}>{t('explorer.tasks.files')}</Button>
    </li>
  );
}
