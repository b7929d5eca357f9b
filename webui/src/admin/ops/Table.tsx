import type { ReactNode } from 'react';
import styles from './ops.module.css';

interface TableColumn<R> {
  label: string;
  render: (row: R) => ReactNode;
  /** long columns break inside words, such as those with ids and links; all others at spaces only. */
  long?: boolean;
  /** end columns, of numbers and of buttons, stand at the end of their width. */
  end?: boolean;
}

interface TableProps<R> {
  label: string;
  rows: readonly R[];
  keyOf: (row: R) => string;
  columns: readonly TableColumn<R>[];
}

/** Table is a plain table; on a phone each row is a card. */
export function Table<R>({ label, rows, keyOf, columns }: TableProps<R>) {
  return (
    // A wide table scrolls sideways in itself, also where nothing in it takes the focus.
    <div className={`${styles.panel} ${styles.wide}`} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" data-end={column.end}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td
                  key={column.label}
                  data-label={column.label}
                  data-long={column.long}
                  data-end={column.end}
                >
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
