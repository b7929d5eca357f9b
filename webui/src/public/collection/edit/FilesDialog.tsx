import { useState } from 'react';
import { errorText } from '../../../api/errorText';
import { useSettled } from '../../../hooks/useTimer';
import { useLanguage, useT } from '../../../i18n';
import { formatSize } from '../../../shared/format';
import { foundFilesQuery } from '../../../shared/query/files';
import { useReading } from '../../../shared/query/useReading';
import { Button, Dialog, Skeleton, TextField } from '../../../shared/ui';
import type { Row } from './rows';
import styles from './edit.module.css';

interface FilesDialogProps {
  rows: readonly Row[];
  onChosen: (files: Row[]) => void;
  onClose: () => void;
}

/** FilesDialog chooses among the caller's own files; those of other collections are not offered. */
export function FilesDialog({ rows, onChosen, onClose }: FilesDialogProps) {
  const t = useT();
  const language = useLanguage();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  const { data, error } = useReading(foundFilesQuery(useSettled(search.trim(), 300)));
  const files = data?.filter(({ id, collection }) => !collection && rows.every((row) => row.id !== id));
  return (
    <Dialog
      title={t('collectionEdit.own')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant="primary"
            disabled={chosen.size === 0}
            onClick={() => {
              onChosen([...chosen.values()]);
              onClose();
            }}
          >
            {t('collectionEdit.add', chosen.size)}
          </Button>
        </>
      }
    >
      <div className={styles.choosing}>
        <p className={styles.hint}>{t('collectionEdit.ownHint')}</p>
        <TextField
          label={t('collectionEdit.search')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        {error && (
          <p className={styles.problem} role="alert">
            {errorText(error, t)}
          </p>
        )}
        {!files && !error && <Skeleton lines={4} />}
        {files?.length === 0 && <p className={styles.hint}>{t('collectionEdit.noOwn')}</p>}
        <ul className={styles.choices}>
          {files?.map((file) => (
            <li key={file.id}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.has(file.id)}
                  onChange={(event) => {
                    const next = new Map(chosen);
                    if (event.target.checked) next.set(file.id, file);
                    else next.delete(file.id);
                    setChosen(next);
                  }}
                />
                <span dir="auto">{file.filename}</span>
                <small>{formatSize(file.size, language)}</small>
              </label>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
