import { Download, RefreshCw, Search, X } from 'lucide-react';
import type { FormHTMLAttributes, ReactNode } from 'react';
import {
  ColumnsButton,
  FilterLiveForm,
  useDataProvider,
  useInput,
  useListContext,
  useResourceContext,
  type RaRecord,
} from 'react-admin';
import { useLanguage, useT } from '../../i18n';
import { saveBlob } from '../../shared/saveBlob';
import { Button, IconButton, SelectField } from '../../shared/ui';
import { SelectInput } from '../form/inputs';
import type { ResolvedColumn } from './columns';
import { useAct } from '../useAct';
import { csvOf } from './csv';
import styles from './list.module.css';

/** A filter with a few choices; "" is no filter. */
export interface Filter {
  name: string;
  label: string;
  choices: readonly { value: string; label: string }[];
}

interface ToolbarProps<R> {
  columns: readonly ResolvedColumn<R>[];
  searchLabel: string;
  filters?: readonly Filter[];
  tools?: ReactNode;
  exportName: string;
  wide: boolean;
}

/** Toolbar searches, filters, refreshes and exports a list. */
export function Toolbar<R extends RaRecord>(props: ToolbarProps<R>) {
  const { columns, searchLabel, filters = [], tools, exportName, wide } = props;
  const t = useT();
  const language = useLanguage();
  const list = useListContext<R>();
  const at = (list.meta as { at?: number } | undefined)?.at;
  const exports = useExport(columns, exportName);

  return (
    <div className={styles.toolbar}>
      <FilterLiveForm debounce={300} formComponent={FilterForm}>
        <SearchInput label={searchLabel} />
        {filters.map(({ name, label, choices }) => (
          <SelectInput
            key={name}
            source={name}
            label={label}
            choices={[{ value: '', label: t('admin.list.all') }, ...choices]}
          />
        ))}
      </FilterLiveForm>
      {!wide && <SortChoice columns={columns} />}
      <div className={styles.tools}>
        <p className={styles.at} data-coming={at === undefined || undefined}>
          {t('admin.list.updatedAt', { time: new Date(at ?? 0).toLocaleTimeString(language) })}
        </p>
        <Button
          variant="quiet"
          className={styles.usual}
          icon={<RefreshCw size={18} />}
          busy={list.isFetching}
          title={t('admin.list.refresh')}
          onClick={() => void list.refetch()}
        >
          {t('admin.list.refresh')}
        </Button>
        {wide && <ColumnsButton />}
        <Button
          variant="quiet"
          className={styles.usual}
          icon={<Download size={18} />}
          busy={exports.busy}
          title={t('admin.list.export')}
          onClick={exports.run}
        >
          {t('admin.list.export')}
        </Button>
        {tools}
      </div>
    </div>
  );
}

const FilterForm = (form: FormHTMLAttributes<HTMLFormElement>) => (
  <form {...form} className={styles.filters} />
);

/** SearchInput is the words that rows are searched for. */
function SearchInput({ label }: { label: string }) {
  const t = useT();
  const { field } = useInput({ source: 'q' });
  return (
    <div className={styles.search}>
      <Search size={18} />
      <input {...field} type="search" autoComplete="off" aria-label={label} placeholder={label} />
      {field.value && (
        <IconButton label={t('admin.list.clearSearch')} onClick={() => field.onChange('')}>
          <X size={18} />
        </IconButton>
      )}
    </div>
  );
}

const orders = [
  ['ASC', '↑'],
  ['DESC', '↓'],
] as const;

/** SortChoice stands for the headings of the table where there are cards. */
function SortChoice<R>({ columns }: { columns: readonly ResolvedColumn<R>[] }) {
  const t = useT();
  const { sort, setSort } = useListContext();
  const sortable = columns.filter((column) => column.sortable);
  if (sortable.length === 0) return null;
  return (
    <SelectField
      className={styles.filter}
      label={t('admin.list.sortBy')}
      value={`${sort.field} ${sort.order}`}
      choices={sortable.flatMap(({ source, label }) =>
        orders.map(([order, arrow]) => ({ value: `${source} ${order}`, label: `${label} ${arrow}` })),
      )}
      onChange={({ target: { value } }) => {
        const [field = '', order] = value.split(' ');
        setSort({ field, order: order === 'ASC' ? 'ASC' : 'DESC' });
      }}
    />
  );
}

/** Most rows that one call of a list answers. */
const batch = 1000;

/** useExport writes all rows of the present search and filters, not only those of the page. */
function useExport<R extends RaRecord>(columns: readonly ResolvedColumn<R>[], name: string) {
  const t = useT();
  const resource = useResourceContext() ?? '';
  const dataProvider = useDataProvider();
  const { filterValues, sort } = useListContext<R>();
  const { busy, act } = useAct();

  async function save() {
    const rows: R[] = [];
    for (let page = 1; ; page++) {
      const found = await dataProvider.getList<R>(resource, {
        pagination: { page, perPage: batch },
        sort,
        filter: filterValues,
      });
      rows.push(...found.data);
      if (found.data.length === 0 || rows.length >= (found.total ?? 0)) break;
    }
    const day = new Date().toISOString().slice(0, 10);
    saveBlob(new Blob([csvOf(columns, rows)], { type: 'text/csv;charset=utf-8' }), `${name}-${day}.csv`);
    return rows.length;
  }
  return { busy, run: () => act(save, (count) => t('admin.list.exported', count)) };
}
