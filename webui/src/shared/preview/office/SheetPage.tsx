import { useState } from 'react';
import { useLanguage, useT } from '../../../i18n';
import { formatNumber } from '../../format';
import { SelectField, Skeleton } from '../../ui';
import { Cells, mostColumns, useRows } from '../Cells';
import { LoadFailed } from '../LoadFailed';
import type { PreviewedFile } from '../previewed';
import { unpacksSafely } from '../zip';
import { useWhole } from '../useWhole';
import styles from './office.module.css';
import { cellText, columnName, type Cell } from './cells';
import { longestOwn } from './rules';

interface Sheet {
  sheet: string;
  data: (Cell | null)[][];
}

async function readSheets(bytes: Uint8Array<ArrayBuffer>): Promise<Sheet[]> {
  if (!unpacksSafely(bytes)) throw new Error('not a workbook that can be unpacked here');
  const { default: read } = await import('read-excel-file/universal');
  return (await read(new Blob([bytes]))) as Sheet[];
}

/** SheetPage shows the values of a .xlsx as tables. */
export default function SheetPage({ file }: { file: PreviewedFile }) {
  const t = useT();
  const { value: sheets, failed, retry } = useWhole('sheets', file, longestOwn, readSheets);
  const [at, setAt] = useState(0);
  if (failed) return <LoadFailed file={file} text={t('viewers.office.unreadable')} onRetry={retry} />;
  const sheet = sheets?.[at];
  if (!sheets || !sheet) return <Skeleton height={320} />;
  return (
    <>
      {sheets.length > 1 && (
        <SelectField
          className={styles.sheets}
          label={t('viewers.sheet.choose')}
          value={String(at)}
          choices={sheets.map(({ sheet: name }, index) => ({ value: String(index), label: name }))}
          onChange={(event) => setAt(Number(event.target.value))}
        />
      )}
      <Table key={at} sheet={sheet} />
    </>
  );
}

function Table({ sheet }: { sheet: Sheet }) {
  const t = useT();
  const language = useLanguage();
  const widest = sheet.data.reduce((widest, row) => Math.max(widest, row.length), 0);
  const columns = Math.min(widest, mostColumns);
  const [most, more] = useRows(columns);
  const rows = sheet.data.slice(0, most);
  if (rows.length === 0) return <p>{t('viewers.sheet.empty')}</p>;
  return (
    <Cells
      label={sheet.sheet}
      head={Array.from({ length: columns }, (_, column) => columnName(column))}
      rows={rows.map((row) => row.map((cell) => cellText(cell, language)))}
      isNumber={(row, column) => typeof rows[row]?.[column] === 'number'}
      note={t('viewers.sheet.rows', {
        shown: formatNumber(rows.length, language),
        smart_count: sheet.data.length,
      })}
      onMore={rows.length < sheet.data.length ? more : undefined}
    />
  );
}
