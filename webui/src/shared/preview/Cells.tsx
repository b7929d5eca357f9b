import { useId, useState, type ReactNode } from 'react';
import { Button } from '../ui';
import { useT } from '../../i18n';
import styles from './cells.module.css';

/** Columns after this one are left out. */
export const mostColumns = 200;

/** Rows that are shown at first and that each further click adds; wide tables get fewer, since cells are what takes time. */
export const rowStep = (columns: number) => Math.max(50, Math.min(500, Math.floor(20_000 / (columns || 1))));

interface CellsProps {
  /** label names the region for assistive technology. */
  label: string;
  /** head has the names of the columns, which stay in sight. */
  head: readonly string[];
  rows: readonly (readonly ReactNode[])[];
  /** isNumber says whether a cell is a number, which stands at the end of its column. */
  isNumber: (row: number, column: number) => boolean;
  note: string;
  /** onMore shows more rows; absent when all are shown. */
  onMore?: (() => void) | undefined;
}

/** Cells is a table of values whose head and row numbers stay in sight while it is scrolled. */
export function Cells({ label, head, rows, isNumber, note, onMore }: CellsProps) {
  const t = useT();
  const id = useId();
  return (
    <>
      <div className={styles.scroll} role="region" aria-label={label} aria-describedby={id} tabIndex={0}>
        <table className={styles.cells}>
          <thead>
            <tr>
              <td />
              {head.map((name, column) => (
                <th key={column} scope="col" dir="auto">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <th scope="row">{index + 1}</th>
                {head.map((_, column) => (
                  <td key={column} dir="auto" data-number={isNumber(index, column) || undefined}>
                    {row[column]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p id={id} className={styles.note}>
        {note}
      </p>
      {onMore && <Button onClick={onMore}>{t('viewers.sheet.more')}</Button>}
    </>
  );
}

/** useRows is how many rows of a table are shown, and what shows more. */
export function useRows(columns: number): [most: number, more: () => void] {
  const step = rowStep(columns);
  const [steps, setSteps] = useState(1);
  return [steps * step, () => setSteps(steps + 1)];
}
