import { createContext, useContext, useMemo, type ComponentProps } from 'react';
import {
  DataTableBody,
  DataTableRow,
  I18nContextProvider,
  useI18nProvider,
  useRecordContext,
  type I18nProvider,
  type RaRecord,
} from 'react-admin';
import { useT } from '../../i18n';

/** RowNames tells what a row of the table below it is called. */
export const RowNames = createContext<(row: RaRecord) => string>(() => '');

/** NamedRows are the rows of a table whose checkboxes say which row they select. */
export function NamedRows(props: ComponentProps<typeof DataTableBody>) {
  return <DataTableBody {...props} row={NamedRow} />;
}

// React-admin calls all checkboxes the same and offers no other way to name them than its texts.
function NamedRow(props: ComponentProps<typeof DataTableRow>) {
  const t = useT();
  const nameOf = useContext(RowNames);
  const row = useRecordContext();
  const texts = useI18nProvider();
  const label = row ? t('admin.list.select', { name: nameOf(row) }) : '';
  const named = useMemo(
    (): I18nProvider => ({
      ...texts,
      translate: (key, options) => (key === 'ra.action.select_row' ? label : texts.translate(key, options)),
    }),
    [texts, label],
  );
  return (
    <I18nContextProvider value={named}>
      <DataTableRow {...props} />
    </I18nContextProvider>
  );
}
