import { Download, RefreshCw, Search, X } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import {
  ColumnsButton,
  useDataProvider,
  useListContext,
  useResourceContext,
  type RaRecord,
} from 'react-admin';
import { useLanguage, useT } from '../../i18n';
import { saveBlob } from '../../shared/saveBlob';
import { Button, IconButton, inputClass, toast } from '../../shared/ui';
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
  const id = useId();
  const list = useListContext<R>();
  const values = list.filterValues as Record<string, string | undefined>;
  const [typed, setTyped] = useState(values.q ?? '');
  const at = (list.meta as { at?: number } | undefined)?.at;
  const exports = useExport(columns, exportName);

  const filter = (name: string, value: string, later = false) => {
    const others = Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
    list.setFilters(value ? { ...others, [name]: value } : others, {}, later);
  };
  const search = (value: string) => {
    setTyped(value);
    filter('q', value, true);
  };

  return (
    <div className={styles.toolbar}>
      <div className={styles.search}>
        <Search size={18} aria-hidden="true" />
        <input
          type="search"
          aria-label={searchLabel}
          placeholder={searchLabel}
          value={values.q === undefined && !list.isFetching && typed.trim() === '' ? '' : typed}
          onChange={(event) => search(event.target.value)}
        />
        {typed !== '' && (
          <IconButton label={t('admin.list.clearSearch')} onClick={() => search('')}>
            <X size={18} aria-hidden="true" />
          </IconButton>
        )}
      </div>
      {filters.map((entry) => (
        <div key={entry.name} className={styles.filter}>
          <label htmlFor={`${id}-${entry.name}`}>{entry.label}</label>
          <select
            id={`${id}-${entry.name}`}
            className={inputClass}
            value={values[entry.name] ?? ''}
            onChange={(event) => filter(entry.name, event.target.value)}
          >
            <option value="">{t('admin.list.all')}</option>
            {entry.choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))}
          </select>
        </div>
      ))}
      {!wide && <SortChoice columns={columns} />}
      <div className={styles.tools}>
        {at !== undefined && (
          <p className={styles.at}>
            {t('admin.list.updatedAt', { time: new Date(at).toLocaleTimeString(language) })}
          </p>
        )}
        <Button
          variant="quiet"
          className={styles.usual}
          icon={<RefreshCw size={18} aria-hidden="true" />}
          busy={list.isFetching}
          onClick={() => void list.refetch()}
        >
          {t('admin.list.refresh')}
        </Button>
        {wide && <ColumnsButton />}
        <Button
          variant="quiet"
          className={styles.usual}
          icon={<Download size={18} aria-hidden="true" />}
          busy={exports.busy}
          onClick={exports.run}
        >
          {t('admin.list.export')}
        </Button>
        {tools}
      </div>
    </div>
  );
}

/** SortChoice stands for the headings of the table where there are cards. */
function SortChoice<R>({ columns }: { columns: readonly ResolvedColumn<R>[] }) {
  const t = useT();
  const id = useId();
  const { sort, setSort } = useListContext();
  const sortable = columns.filter((column) => column.sortable);
  if (sortable.length === 0) return null;
  return (
    <div className={styles.filter}>
      <label htmlFor={id}>{t('admin.list.sortBy')}</label>
      <select
        id={id}
        className={inputClass}
        value={`${sort.field} ${sort.order}`}
        onChange={(event) => {
          const [field = '', order] = event.target.value.split(' ');
          setSort({ field, order: order === 'ASC' ? 'ASC' : 'DESC' });
        }}
      >
        {sortable.flatMap((column) =>
          (['ASC', 'DESC'] as const).map((order) => (
            <option key={column.source + order} value={`${column.source} ${order}`}>
              {`${column.label} ${order === 'ASC' ? '↑' : '↓'}`}
            </option>
          )),
        )}
      </select>
    </div>
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
    toast.success(t('admin.list.exported', rows.length));
  }
  return { busy, run: () => act(save) };
}
