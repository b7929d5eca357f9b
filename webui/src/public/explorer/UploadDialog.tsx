import { FolderUp, Upload } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore, type ChangeEvent } from 'react';
import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Button, Dialog } from '../../shared/ui';
import type { UploadTotals } from '../../shared/uploader';
import { formatDuration } from '../../shared/uploader/duration';
import { fromInput } from '../../shared/uploader/sources';
import styles from './explorer.module.css';
import { join } from './place';
import { UploadLine } from './UploadLine';
import { send, uploads } from './uploads';

interface UploadDialogProps {
  /** path of the folder that files go to. */
  path: string;
  /** taken is what lies there already. */
  taken: readonly Entry[];
  onClose: () => void;
}

/** UploadDialog puts files into a folder. Closing it stops nothing. */
export default function UploadDialog({ path, taken, onClose }: UploadDialogProps) {
  const t = useT();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const { items, totals } = useSyncExternalStore(uploads.subscribe, uploads.snapshot);
  const pending = items.filter(({ status }) => status === 'pending');
  const names = new Set(taken.filter(({ isDirectory }) => !isDirectory).map(({ name }) => name));

  useEffect(() => {
    // React has no property for it.
    folder.current?.setAttribute('webkitdirectory', '');
  }, []);

  const input = {
    type: 'file',
    multiple: true,
    hidden: true,
    tabIndex: -1,
    onChange(event: ChangeEvent<HTMLInputElement>) {
      const chosen = fromInput(event.target.files);
      uploads.add(
        chosen.map(({ file, folder: below }) => ({ file, folder: below ? join(path, below) : path })),
      );
      event.target.value = '';
    },
  } as const;

  return (
    <Dialog
      wide
      title={t('explorer.upload.title')}
      onClose={onClose}
      footer={
        <>
          {totals.active && (
            <Button variant="quiet" onClick={() => uploads.cancelAll()}>
              {t('file.list.cancelAll')}
            </Button>
          )}
          <Button onClick={onClose}>{t(totals.active ? 'explorer.upload.behind' : 'common.close')}</Button>
          {pending.length > 0 && (
            <Button
              variant="primary"
              icon={<Upload size={18} aria-hidden="true" />}
              onClick={() => uploads.start(send)}
            >
              {t('file.form.submit', pending.length)}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.form}>
        <p className={styles.hint}>{t('explorer.upload.target', { path })}</p>
        <div className={styles.sources}>
          <Button
            data-autofocus=""
            icon={<Upload size={18} aria-hidden="true" />}
            onClick={() => files.current?.click()}
          >
            {t('file.drop.choose')}
          </Button>
          <Button
            variant="quiet"
            icon={<FolderUp size={18} aria-hidden="true" />}
            onClick={() => folder.current?.click()}
          >
            {t('file.drop.folder')}
          </Button>
          <span className={styles.hint}>{t('explorer.upload.hint')}</span>
        </div>
        <input ref={files} {...input} data-testid="files" />
        <input ref={folder} {...input} />
        {totals.active && <Totals totals={totals} />}
        {items.length > 0 && (
          <ul className={styles.uploads} aria-label={t('file.list.title')}>
            {items.map((item) => (
              <UploadLine
                key={item.id}
                item={item}
                folder={item.folder === path ? '' : item.folder}
                replaces={item.folder === path && names.has(item.name)}
                onRetry={() => uploads.retry(item.id, send)}
              />
            ))}
          </ul>
        )}
        {items.some(({ status }) => status !== 'uploading') && (
          <Button variant="quiet" className={styles.start ?? ''} onClick={() => uploads.clear()}>
            {t('file.list.clear')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function Totals({ totals }: { totals: UploadTotals }) {
  const t = useT();
  const language = useLanguage();
  const percent = totals.bytes > 0 ? Math.floor((totals.sent / totals.bytes) * 100) : 0;
  return (
    <div>
      <progress max={100} value={percent} aria-label={t('file.progress.label')} />
      <p className={styles.facts}>
        {percent} % · {t('file.progress.files', { done: totals.done, files: totals.files })}
        {totals.speed !== null &&
          ` · ${t('file.progress.speed', { speed: formatSize(totals.speed, language) })}`}
        {totals.remaining !== null &&
          ` · ${t('file.progress.left', { time: formatDuration(totals.remaining, t) })}`}
      </p>
    </div>
  );
}
