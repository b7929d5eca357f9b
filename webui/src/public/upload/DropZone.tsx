import { FolderUp, Upload } from 'lucide-react';
import { useRef } from 'react';
import { nothingToDrag, useMedia } from '../../hooks/useMedia';
import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import { FilePicker } from '../../shared/uploader/FilePicker';
import type { Chosen } from '../../shared/uploader/sources';
import { usePageDrops } from '../../shared/uploader/usePageDrops';
import styles from './upload.module.css';

interface DropZoneProps {
  /** open says whether the zone can be seen. */
  open: boolean;
  /** small leaves room for what is done with the files that are chosen. */
  small: boolean;
  /** limit per file, formatted; undefined while it is not known. */
  limit: string | undefined;
  /** wrong says what must be mended here before the form can be sent. */
  wrong: string | undefined;
  onFiles: (files: Chosen[]) => void;
}

/** DropZone takes files from the picker, from drops anywhere on the page, and from the clipboard. */
export function DropZone({ open, small, limit, wrong, onFiles }: DropZoneProps) {
  const t = useT();
  const touch = useMedia(nothingToDrag);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const over = usePageDrops(onFiles, open);

  return (
    <div
      className={styles.zone}
      data-over={over || undefined}
      data-small={small || undefined}
      // A larger target for pointers; keyboards and readers have the buttons.
      onClick={(event) => {
        if (event.target instanceof Element && !event.target.closest('button, input')) files.current?.click();
      }}
    >
      <Upload size={28} />
      {!touch && <p className={styles.zoneTitle}>{t('file.drop.title')}</p>}
      <div className={styles.zoneButtons}>
        <Button
          variant={small ? 'plain' : 'primary'}
          data-wrong={wrong}
          onClick={() => files.current?.click()}
        >
          {t('file.drop.choose')}
        </Button>
        <Button variant="quiet" icon={<FolderUp size={18} />} onClick={() => folder.current?.click()}>
          {t('file.drop.folder')}
        </Button>
      </div>
      <p className={styles.hint}>{limit && t('file.drop.hint', { limit })}</p>
      <FilePicker ref={files} onFiles={onFiles} data-testid="files" />
      <FilePicker ref={folder} onFiles={onFiles} folders />
      {over && (
        <div className={styles.overlay} aria-hidden="true">
          <p>{t('file.drop.overlay')}</p>
        </div>
      )}
    </div>
  );
}
