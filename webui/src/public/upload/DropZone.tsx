import { FolderUp, Upload } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import { fromDrop, fromInput, fromPaste, isTyping, type Chosen } from './sources';
import styles from './upload.module.css';

interface DropZoneProps {
  /** limit per file, formatted; undefined while it is not known. */
  limit: string | undefined;
  onFiles: (files: Chosen[]) => void;
}

/** DropZone takes files from the picker, from drops anywhere on the page, and from the clipboard. */
export function DropZone({ limit, onFiles }: DropZoneProps) {
  const t = useT();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const over = usePageDrops(onFiles);

  useEffect(() => {
    // React has no property for it.
    folder.current?.setAttribute('webkitdirectory', '');
  }, []);

  const input = {
    type: 'file',
    multiple: true,
    hidden: true,
    tabIndex: -1,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      onFiles(fromInput(event.target.files));
      // Choosing the same file again is a change, too.
      event.target.value = '';
    },
  } as const;

  return (
    <div className={styles.zone} data-over={over || undefined}>
      <Upload size={28} aria-hidden="true" />
      <p className={styles.zoneTitle}>{t('file.drop.title')}</p>
      <div className={styles.zoneButtons}>
        <Button variant="primary" onClick={() => files.current?.click()}>
          {t('file.drop.choose')}
        </Button>
        <Button
          variant="quiet"
          icon={<FolderUp size={18} aria-hidden="true" />}
          onClick={() => folder.current?.click()}
        >
          {t('file.drop.folder')}
        </Button>
      </div>
      <p className={styles.hint}>{limit && t('file.drop.hint', { limit })}</p>
      <input ref={files} {...input} data-testid="files" />
      <input ref={folder} {...input} />
      {over && (
        <div className={styles.overlay} aria-hidden="true">
          <p>{t('file.drop.overlay')}</p>
        </div>
      )}
    </div>
  );
}

/** usePageDrops takes drops and pastes on the whole page, and says whether files hover over it. */
function usePageDrops(onFiles: (files: Chosen[]) => void): boolean {
  const [over, setOver] = useState(false);
  const take = useEffectEvent(onFiles);

  useEffect(() => {
    const leave = new AbortController();
    const { signal } = leave;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    // Moving between elements leaves one and enters the next; only the sum says where the pointer is.
    let depth = 0;
    addEventListener(
      'dragenter',
      (event) => {
        if (!hasFiles(event)) return;
        depth++;
        setOver(true);
      },
      { signal },
    );
    addEventListener(
      'dragleave',
      (event) => {
        if (!hasFiles(event)) return;
        depth = Math.max(0, depth - 1);
        if (depth === 0) setOver(false);
      },
      { signal },
    );
    addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault(), { signal });
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer || !hasFiles(event)) return;
        event.preventDefault();
        depth = 0;
        setOver(false);
        void fromDrop(event.dataTransfer).then(take);
      },
      { signal },
    );
    addEventListener(
      'paste',
      (event) => {
        const data = event.clipboardData;
        if (!data || data.files.length === 0 || isTyping(event.target, data)) return;
        event.preventDefault();
        take(fromPaste(data, new Date()));
      },
      { signal },
    );
    return () => leave.abort();
  }, []);

  return over;
}
