import { useId, useState } from 'react';
import { useLanguage, useT } from '../../../i18n';
import { Button, SelectField, Skeleton } from '../../ui';
import { LoadFailed } from '../LoadFailed';
import type { PreviewedFile } from '../previewed';
import { unpacksSafely } from '../zip';
import { useWhole } from '../useWhole';
import styles from './office.module.css';
import { cellText, columnName, type Cell } from './cells';
import { longestOwn } from './rules';

/** Rows that are shown at first, and that each further click adds. */
const rowStep = 500;

/** Columns after this one are left out. */
const mostColumns = 200;

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
  const note = useId();
  const [most, setMost] = useState(rowStep);
  const rows = sheet.data.slice(0, most);
  const widest = sheet.data.reduce((widest, row) => Math.max(widest, row.length), 0);
  const columns = Array.from({ length: Math.min(widest, mostColumns) }, (_, index) => index);
  if (rows.length === 0) return <p>{t('viewers.sheet.empty')}</p>;
  return (
    <>
      <div
        className={styles.scroll}
        role="region"
        aria-label={sheet.sheet}
        aria-describedby={note}
        tabIndex={0}
      >
        <table className={styles.cells}>
          <thead>
            <tr>
              <td />
              {columns.map((column) => (
                <th key={column} scope="col">
                  {columnName(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <th scope="row">{index + 1}</th>
                {columns.map((column) => (
                  <td key={column} data-number={typeof row[column] === 'number' || undefined}>
                    {cellText(row[column], language)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p id={note} className={styles.note}>
        {t('viewers.sheet.rows', { shown: rows.length, smart_count: sheet.data.length })}
      </p>
      {rows.length < sheet.data.length && (
        <Button onClick={() => setMost(most + rowStep)}>{t('viewers.sheet.more')}</Button>
      )}
    </>
  );
}
