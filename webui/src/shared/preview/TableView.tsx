import { useMemo } from 'react';
import { useT } from '../../i18n';
import { Cells, mostColumns, rowStep, useRows } from './Cells';
import { columnName } from './office/cells';
import { isNumber, readTable } from './table';

/** Characters of a value that are shown. */
const longestValue = 2000;

interface TableViewProps {
  text: string;
  /** tabs says that the values are parted by tabs; else it is guessed. */
  tabs: boolean;
  /** cut says that the text is only the beginning of the file. */
  cut: boolean;
  label: string;
}

/** TableView shows comma- or tab-separated values as a table, whose first line is its head. */
export default function TableView({ text, tabs, cut, label }: TableViewProps) {
  const t = useT();
  const columns = useMemo(() => {
    const { widest } = readTable(text, { tabs, cut, most: rowStep(0) });
    return Math.min(widest, mostColumns);
  }, [text, tabs, cut]);
  const [most, more] = useRows(columns);
  const table = useMemo(() => readTable(text, { tabs, cut, most }), [text, tabs, cut, most]);
  if (columns === 0) return <p>{t('viewers.sheet.empty')}</p>;
  const note = [
    t(table.whole && !cut ? 'viewers.table.all' : 'viewers.table.first', table.rows.length),
    ...(table.widest > mostColumns ? [t('viewers.table.columns', { most: mostColumns })] : []),
  ];
  return (
    <Cells
      label={label}
      head={Array.from({ length: columns }, (_, column) => table.head[column] ?? columnName(column))}
      rows={table.rows.map((row) => row.map(shortened))}
      isNumber={(row, column) => isNumber(table.rows[row]?.[column] ?? '')}
      note={note.join(' · ')}
      onMore={table.whole ? undefined : more}
    />
  );
}

const shortened = (value: string) =>
  value.length > longestValue ? `${value.slice(0, longestValue)}…` : value;
