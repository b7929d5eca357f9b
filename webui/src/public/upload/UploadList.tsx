import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Pause, Play } from 'lucide-react';
import { Button } from '../../shared/ui';
import type { UploadTotals } from '../../shared/uploader/queue';
import { Totals } from '../../shared/uploader/Progress';
import styles from './upload.module.css';
import { canPause, isMoving, stopUpload, uploads, type Upload } from '../../shared/uploader/uploads';
import { UploadRow } from '../../shared/uploader/UploadRow';

/** listId is the id of the list's heading, to scroll to. */
export const listId = 'pp-upload-list';

interface UploadListProps {
  /** items are the files that have not arrived. */
  items: readonly Upload[];
  totals: UploadTotals;
  onRetry: (item: Upload) => void;
}

/** UploadList shows the files of this tab that have not arrived yet, and how far all of them are. */
export function UploadList({ items: open, totals, onRetry }: UploadListProps) {
  const t = useT();
  const language = useLanguage();
  const moving = open.filter((item) => item.status === 'uploading' || item.queued);
  const paused = open.filter((item) => item.status === 'paused');
  const size = open.reduce((sum, item) => sum + item.file.size, 0);

  function clear() {
    for (const item of open) if (!isMoving(item)) uploads.remove(item.id);
  }

  return (
    <section className={styles.list} aria-labelledby={listId}>
      <header className={styles.listHead}>
        <h2 id={listId}>{t('file.list.title')}</h2>
        <p className={styles.hint}>
          {t('file.list.selected', { smart_count: open.length, size: formatSize(size, language) })}
        </p>
        {moving.some(canPause) && (
          <Button variant="quiet" icon={<Pause size={18} />} onClick={() => uploads.pauseAll()}>
            {t('file.list.pauseAll')}
          </Button>
        )}
        {paused.length > 0 && (
          <Button variant="quiet" icon={<Play size={18} />} onClick={() => uploads.resumeAll()}>
            {t('file.list.resumeAll')}
          </Button>
        )}
        {moving.length + paused.length > 0 && (
          <Button variant="quiet" onClick={() => [...moving, ...paused].forEach(({ id }) => stopUpload(id))}>
            {t('file.list.cancelAll')}
          </Button>
        )}
        {open.length > moving.length + paused.length && (
          <Button variant="quiet" onClick={clear}>
            {t('file.list.clear')}
          </Button>
        )}
      </header>
      {totals.active && <Totals totals={totals} />}
      <ul>
        {open.map((item) => (
          <UploadRow key={item.id} item={item} onRetry={() => onRetry(item)} />
        ))}
      </ul>
    </section>
  );
}
