import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useLanguage, useT } from '../../../i18n';
import { formatSize } from '../../../shared/format';
import { FileGlyph } from '../../../shared/preview/FileGlyph';
import { IconButton, inputClass } from '../../../shared/ui';
import { moved, type Row } from './rows';
import styles from './edit.module.css';

interface ItemRowsProps {
  rows: readonly Row[];
  onChange: (rows: readonly Row[]) => void;
}

/** ItemRows are the items in their order: each can be renamed, moved and taken out. */
export function ItemRows({ rows, onChange }: ItemRowsProps) {
  const t = useT();
  const language = useLanguage();
  if (rows.length === 0) return null;
  return (
    <ol className={styles.rows}>
      {rows.map((row, at) => (
        <li key={row.id}>
          <FileGlyph file={{ filename: row.filename, mimetype: row.mimetype, type: 0 }} />
          <div className={styles.name}>
            <input
              className={inputClass}
              dir="auto"
              aria-label={t('collectionEdit.name', { name: row.filename })}
              aria-invalid={!row.filename.trim() || undefined}
              value={row.filename}
              maxLength={255}
              spellCheck={false}
              onChange={(event) => onChange(rows.with(at, { ...row, filename: event.target.value }))}
            />
            <span>{formatSize(row.size, language)}</span>
          </div>
          <div className={styles.buttons}>
            <IconButton
              label={t('collectionEdit.up', { name: row.filename })}
              disabled={at === 0}
              onClick={() => onChange(moved(rows, at, at - 1))}
            >
              <ArrowUp size={20} />
            </IconButton>
            <IconButton
              label={t('collectionEdit.down', { name: row.filename })}
              disabled={at === rows.length - 1}
              onClick={() => onChange(moved(rows, at, at + 1))}
            >
              <ArrowDown size={20} />
            </IconButton>
            <IconButton
              label={t('collectionEdit.remove', { name: row.filename })}
              onClick={() => onChange(rows.toSpliced(at, 1))}
            >
              <X size={20} />
            </IconButton>
          </div>
        </li>
      ))}
    </ol>
  );
}
