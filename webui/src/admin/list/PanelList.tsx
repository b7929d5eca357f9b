import useMediaQuery from '@mui/material/useMediaQuery';
import type { ReactNode } from 'react';
import {
  DataTable,
  ListBase,
  useListContext,
  useResourceContext,
  type RaRecord,
  type SortPayload,
} from 'react-admin';
import { ApiError } from '../../api/errors';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { Button, EmptyState, Skeleton } from '../../shared/ui';
import { BulkResult } from '../share/BulkResult';
import type { Removal } from '../share/useRemoval';
import { Cards } from './Cards';
import type { Column, RowAction } from './columns';
import { CreateLink } from './CreateLink';
import styles from './list.module.css';
import { NamedRows, RowNames } from './NamedRows';
import { Pager } from './Pager';
import { pageSize } from './pageSize';
import { RowActions } from './RowActions';
import { PanelPage } from './PanelPage';
import { Selection, type Chosen } from './Selection';
import { Toolbar, type Filter } from './Toolbar';

interface PanelListProps<R extends RaRecord> {
  title: string;
  /** createLabel names the page's one primary action where it leads to the form of a new row. */
  createLabel?: string;
  /** action is what stands in its place. */
  action?: ReactNode;
  columns: readonly Column<R>[];
  /** nameOf is what a row is called, for those who hear the page. */
  nameOf: (row: R) => string;
  actions: (row: R) => readonly RowAction[];
  sort: SortPayload;
  /** searchLabel says what is searched. */
  searchLabel: string;
  filters?: readonly Filter[];
  /** tools are further buttons of the toolbar; the page's one primary action comes last. */
  tools?: ReactNode;
  removal: Pick<Removal, 'outcome' | 'closeOutcome'>;
  /** onDelete is asked for the rows that are selected. */
  onDelete: (rows: Chosen<R>[]) => void;
  /** empty is what is said where there are no rows; the action is that of the page unless it is another one. */
  empty: { icon?: ReactNode; title: string; body: string; action?: ReactNode };
  /** grid shows cards on wide screens, too: for lists of few rows of which there is much to say. */
  grid?: boolean;
  /** exportName begins the name of the exported file. */
  exportName: string;
  /** children are the dialogs of the page. */
  children?: ReactNode;
}

/** PanelList is a list of the panel: searched, filtered, sorted and paged, a table or cards, its state in the address. */
export function PanelList<R extends RaRecord>(props: PanelListProps<R>) {
  const { title, createLabel, removal, sort, empty, children } = props;
  const resource = useResourceContext();
  const create = createLabel && <CreateLink to={`/admin/${resource}/create`} label={createLabel} />;
  return (
    <PanelPage title={title} action={create ?? props.action}>
      <ListBase
        perPage={pageSize()}
        sort={sort}
        debounce={300}
        disableAuthentication
        empty={false}
        queryOptions={quiet}
      >
        <Body {...props} empty={{ action: create, ...empty }} />
      </ListBase>
      {children}
      {removal.outcome && <BulkResult outcome={removal.outcome} onClose={removal.closeOutcome} />}
    </PanelPage>
  );
}

// The list shows the error itself.
const quiet = { onError: () => undefined, retry: false };
/** noNetwork is why a list that was never read is not there; it is read when the network is back. */
const noNetwork = new ApiError('', { failure: 'network' });

function Body<R extends RaRecord>(props: PanelListProps<R>) {
  const t = useT();
  const { columns, nameOf, actions, onDelete, grid = false } = props;
  const wide = useMediaQuery('(min-width: 900px)', { noSsr: true }) && !grid;
  const list = useListContext<R>();
  const filtered = Object.values(list.filterValues as object).some(
    (value) => value !== undefined && value !== '',
  );
  const nothing = list.data?.length === 0 && !list.isFetching;
  return (
    <div className={styles.list}>
      <Toolbar {...props} wide={wide} />
      <Selection nameOf={nameOf} onDelete={onDelete} />
      {list.isPending && (list.isPaused ? <ErrorPanel error={noNetwork} /> : <Skeleton lines={8} />)}
      {list.error && !list.isFetching && (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      )}
      {!list.error && nothing && !filtered && <EmptyState {...props.empty} />}
      {!list.error && nothing && filtered && (
        <EmptyState
          title={t('admin.list.noMatch')}
          body={t('admin.list.noMatchBody')}
          action={<Button onClick={() => list.setFilters({}, {})}>{t('admin.list.clearFilters')}</Button>}
        />
      )}
      {!list.isPending && !list.error && !nothing && (
        <div className={grid ? styles.grid : styles.panel} aria-busy={list.isFetching}>
          {wide ? (
            <RowNames value={nameOf as (row: RaRecord) => string}>
              <DataTable<R>
                rowClick={false}
                body={NamedRows}
                bulkActionsToolbar={<></>}
                hiddenColumns={columns.filter((column) => column.hidden).map((column) => column.source)}
              >
                {columns.map((column) => (
                  <DataTable.Col
                    key={column.source}
                    source={column.source as never}
                    label={column.label}
                    disableSort={!column.sortable}
                    render={(row) =>
                      column.title ? (
                        <div className={styles.name}>{column.render(row as R)}</div>
                      ) : (
                        column.render(row as R)
                      )
                    }
                  />
                ))}
                <DataTable.Col
                  source={'actions' as never}
                  label={t('admin.list.actions')}
                  disableSort
                  align="right"
                  render={(row) => <RowActions name={nameOf(row as R)} actions={actions(row as R)} />}
                />
              </DataTable>
            </RowNames>
          ) : (
            <Cards
              columns={grid ? columns : columns.filter((column) => !column.hidden)}
              nameOf={nameOf}
              actions={actions}
            />
          )}
        </div>
      )}
      {!list.isPending && !list.error && <Pager />}
    </div>
  );
}
