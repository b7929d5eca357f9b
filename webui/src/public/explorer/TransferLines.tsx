import { RotateCcw, Trash2, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Button, IconButton, Time } from '../../shared/ui';
import type { MountTarget, UploadItem, UploadTotals } from '../../shared/uploader';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import type { Asked } from './asked';
import { cutTransfers, type Cut } from './cutTransfers';
import styles from './explorer.module.css';
import { send, uploads } from './uploads';

interface TransferLineProps {
  items: readonly UploadItem<MountTarget>[];
  totals: UploadTotals;
  onAsk: (asked: Asked) => void;
}

/** TransferLine is this page's uploads as one task; their dialog has the controls of every file. */
export function TransferLine({ items, totals, onAsk }: TransferLineProps) {
  const t = useT();
  const language = useLanguage();
  const paused = items.some(({ status }) => status === 'paused');
  const failed = items.filter(({ status }) => status === 'error' || status === 'cancelled');
  const state = totals.active
    ? 'running'
    : paused
      ? 'paused'
      : totals.failed === 0
        ? 'completed'
        : totals.done > 0
          ? 'partial'
          : 'failed';
  const name = t('explorer.tasks.uploads', items.length);
  return (
    <li className={styles.task} data-status={state}>
      <Upload size={20} aria-hidden="true" />
      <div className={styles.uploadBody}>
        <p>{name}</p>
        <p className={styles.facts}>
          {t('explorer.tasks.types.upload')} ·{' '}
          <span className={styles.state}>{t(`explorer.tasks.states.${state}`)}</span> · {totals.done} /{' '}
          {totals.files}
          {totals.failed > 0 && ` · ${t('explorer.failed.title', totals.failed)}`} ·{' '}
          {formatSize(totals.sent, language)} / {formatSize(totals.bytes, language)}
        </p>
        {(totals.active || paused) && (
          <progress
            max={Math.max(1, totals.bytes)}
            value={totals.sent}
            aria-label={t('explorer.tasks.progress', { name })}
          />
        )}
        <details>
          <summary className={styles.facts}>{t('explorer.tasks.details', items.length)}</summary>
          <ul className={styles.taskItems}>
            {items.map((item) => (
              <li key={item.id} data-status={item.status === 'error' ? 'failed' : item.status}>
                <span>{`${item.folder === '/' ? '' : item.folder}/${item.name}`}</span>
                <span className={styles.state}>
                  {item.status === 'uploading'
                    ? t(`file.stage.${item.stage}`, {
                        percent: item.file.size > 0 ? Math.floor((item.sent / item.file.size) * 100) : 100,
                      })
                    : t(item.status === 'paused' ? 'explorer.upload.paused' : `file.status.${item.status}`)}
                </span>
                {item.status === 'error' && (
                  <span className={styles.problem}>{uploadErrorText(item.error, t)}</span>
                )}
              </li>
            ))}
          </ul>
        </details>
      </div>
      {!totals.active && failed.length > 0 && (
        <IconButton
          label={t('explorer.tasks.retry', { name })}
          onClick={() => {
            for (const { id } of failed) uploads.retry(id, send);
          }}
        >
          <RotateCcw size={20} aria-hidden="true" />
        </IconButton>
      )}
      <Button onClick={() => onAsk({ kind: 'upload' })}>{t('explorer.tasks.files')}</Button>
    </li>
  );
}

/** CutLine is an upload that a closed page has left: it goes on with its file, which only a person can hand over. */
export function CutLine({ cut, onAsk }: { cut: Cut; onAsk: (asked: Asked) => void }) {
  const t = useT();
  const language = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  const [other, setOther] = useState(false);

  function goOn(file: File | undefined) {
    if (!file) return;
    if (file.name !== cut.name || file.size !== cut.size) {
      setOther(true);
      return;
    }
    cutTransfers.watch();
    uploads.add([{ file, folder: cut.folder }]);
    const item = uploads
      .get()
      .items.find((one) => one.file === file && one.status === 'pending' && one.folder === cut.folder);
    if (item) uploads.start(send, [item.id]);
    cutTransfers.forget(cut);
    onAsk({ kind: 'tasks' });
  }

  return (
    <li className={styles.task} data-status="interrupted">
      <Upload size={20} aria-hidden="true" />
      <div className={styles.uploadBody}>
        <p>{cut.name}</p>
        <p className={styles.facts}>
          {t('explorer.tasks.types.upload')} · <span className={styles.state}>{t('explorer.tasks.cut')}</span>{' '}
          · {cut.folder} · {formatSize(cut.sent, language)} / {formatSize(cut.size, language)} ·{' '}
          <Time value={new Date(cut.at).toISOString()} relative />
        </p>
        {other ? (
          <p role="alert" className={styles.problem}>
            {t('explorer.tasks.otherFile', { name: cut.name, size: formatSize(cut.size, language) })}
          </p>
        ) : (
          <p className={styles.hint}>{t('explorer.tasks.chooseAgain')}</p>
        )}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        data-testid="cut-file"
        onChange={(event) => {
          goOn(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <IconButton
        label={t('explorer.tasks.retry', { name: cut.name })}
        onClick={() => input.current?.click()}
      >
        <RotateCcw size={20} aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('explorer.tasks.forget', { name: cut.name })}
        onClick={() => cutTransfers.forget(cut)}
      >
        <Trash2 size={20} aria-hidden="true" />
      </IconButton>
    </li>
  );
}
