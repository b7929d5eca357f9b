import useMediaQuery from '@mui/material/useMediaQuery';
import { Suspense, useContext, type ReactNode } from 'react';
import {
  DataTable,
  ListBase,
  useListContext,
  useResourceContext,
  type RaRecord,
  type SortPayload,
} from 'react-admin';
import { ApiError } from '../../api/errors';
import { hasMessage, useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { Button, EmptyState, Skeleton } from '../../shared/ui';
import { BulkResult } from '../share/BulkResult';
import { useRemoval, type Removal, type Ways } from '../share/useRemoval';
import { Cards } from './Cards';
import { editAction, withDefaults, type Column, type RowAction } from './columns';
import { CreateLink } from './CreateLink';
import styles from './list.module.css';
import { NamedRows, RowNames } from './NamedRows';
import { Pager } from './Pager';
import { pageSize } from './pageSize';
import { PageContext } from '../page';
import { RowActions } from './RowActions';
import { PanelPage } from './PanelPage';
import { Selection } from './Selection';
import { Toolbar, type Filter } from './Toolbar';
import { useNavigate } from '../router';

interface PanelListProps<R extends RaRecord> {
  /**
   * words are the messages of the resource: `search`, `emptyTitle` and, where the catalogue has them, `listIntro`, one
   * sentence on what the page is for, and `emptyBody`. A list with a `form` has `create` as well.
   */
  words: string;
  /** form says that rows have one: to make them, as the page's one primary action, and to change them. */
  form?: boolean;
  /** action is what stands in its place. */
  action?: ReactNode;
  columns: readonly Column<R>[];
  /** nameOf is what a row is called, for those who hear the page; its `name`, unless it is given. */
  nameOf?: (row: R) => string;
  /** actions are those on a row besides changing and deleting it. */
  actions?: (row: R) => readonly RowAction[];
  /** sort is how it begins: the newest first, unless it is given. */
  sort?: SortPayload;
  filters?: readonly Filter[];
  /** tools are further buttons of the toolbar; the page's one primary action comes last. */
  tools?: ReactNode;
  /** removes says that rows can be deleted, and how where that is not the usual way. */
  removes?: boolean | Ways<R>;
  /** every is how often the list is read again while it holds these rows, in milliseconds; false means never. */
  every?: (rows: readonly R[]) => number | false;
  /** emptyAction is what is offered there, unless it is the action of the page. */
  emptyAction?: ReactNode;
  /** grid shows cards on wide screens, too: for lists of few rows of which there is much to say. */
  grid?: boolean;
  /** exportName begins the name of the exported file; it is that of the resource, unless it is given. */
  exportName?: string;
  /** children are the dialogs of the page. */
  children?: ReactNode;
}

/** PanelList is a list of the panel: searched, filtered, sorted and paged, a table or cards, its state in the address. */
export function PanelList<R extends RaRecord>(props: PanelListProps<R>) {
  const { words, form = false, removes = false, every, children } = props;
  const { nameOf = (row: R) => String(row.name), sort = newest } = props;
  const said = useWords(words);
  const t = useT();
  const navigate = useNavigate();
  const resource = useResourceContext() ?? '';
  const ways = typeof removes === 'object' ? removes : {};
  const removal = useRemoval<R>(words, ways);
  const create = form && <CreateLink to={`/admin/${resource}/create`} label={said('create') ?? ''} />;
  const actions = (row: R): RowAction[] => [
    ...(form ? [editAction(t, () => void navigate(`/admin/${resource}/${row.id}`))] : []),
    ...(props.actions?.(row) ?? []),
    ...(removes && ways.may?.(row) !== false
      ? [
          {
            label: removal.verb,
            icon: removal.icon,
            run: () => removal.remove([{ id: String(row.id), name: nameOf(row), row }]),
            danger: true,
          },
        ]
      : []),
  ];
  return (
    <PanelPage intro={said('listIntro')} action={create || props.action}>
      <ListBase<R>
        perPage={pageSize()}
        sort={sort}
        debounce={300}
        disableAuthentication
        empty={false}
        queryOptions={{
          ...quiet,
          refetchInterval: ({ state: { data } }) => (data && every?.(data.data)) || false,
        }}
      >
        <Body
          {...{ exportName: resource, ...props, nameOf, emptyAction: props.emptyAction ?? create }}
          removal={removes ? removal : undefined}
          {...((form || props.actions || removes) && { actions })}
        />
      </ListBase>
      <Suspense fallback={null}>{children}</Suspense>
      {removal.outcome && <BulkResult outcome={removal.outcome} onClose={removal.closeOutcome} />}
    </PanelPage>
  );
}

/** useWords gives the messages of a resource; undefined where the catalogue has none. */
function useWords(words: string) {
  const t = useT();
  return (name: string) => (hasMessage(`${words}.${name}`) ? t(`${words}.${name}`) : undefined);
}

const newest: SortPayload = { field: 'created_at', order: 'DESC' };
const number = { align: 'right', cellClassName: styles.number, headerClassName: styles.number } as const;
// The list shows the error itself.
const quiet = { onError: () => undefined, retry: false };
/** noNetwork is why a list that was never read is not there; it is read when the network is back. */
const noNetwork = new ApiError('', { failure: 'network' });

type BodyProps<R extends RaRecord> = PanelListProps<R> &
  Required<Pick<PanelListProps<R>, 'nameOf' | 'exportName'>> & { removal: Removal<R> | undefined };

function Body<R extends RaRecord>(props: BodyProps<R>) {
  const t = useT();
  const { icon: Icon } = useContext(PageContext);
  const { words, nameOf, actions, removal, grid = false } = props;
  const said = useWords(words);
  const columns = props.columns.map(withDefaults);
  const wide = useMediaQuery('(min-width: 900px)', { noSsr: true }) && !grid;
  const roomy = useMediaQuery('(min-width: 1400px)', { noSsr: true });
  const list = useListContext<R>();
  const filtered = Object.values(list.filterValues as object).some(
    (value) => value !== undefined && value !== '',
  );
  const nothing = list.data?.length === 0 && !list.isFetching;
  return (
    <div className={styles.list}>
      <Toolbar {...props} searchLabel={t(`${words}.search`)} columns={columns} wide={wide} />
      {removal && <Selection nameOf={nameOf} removal={removal} />}
      {list.isPending && (list.isPaused ? <ErrorPanel error={noNetwork} /> : <Skeleton lines={8} />)}
      {list.error && !list.isFetching && (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      )}
      {!list.error && nothing && !filtered && (
        <EmptyState
          whole
          icon={<Icon size={24} />}
          title={t(`${words}.emptyTitle`)}
          body={said('emptyBody')}
          action={props.emptyAction}
        />
      )}
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
                // Without buttons of its own the table would first ask whether one may delete, and its boxes come late.
                {...(removal
                  ? { bulkActionsToolbar: <></>, bulkActionButtons: <></> }
                  : { bulkActionButtons: false })}
                hiddenColumns={columns
                  .filter((column) => column.hidden || (column.roomy && !roomy))
                  .map((column) => column.source)}
              >
                {columns.map((column) => (
                  <DataTable.Col
                    key={column.source}
                    source={column.source as never}
                    label={column.label}
                    disableSort={!column.sortable}
                    {...(column.number && number)}
                    render={(row) =>
                      column.title ? (
                        <div className={styles.name}>{column.render(row as R)}</div>
                      ) : (
                        column.render(row as R)
                      )
                    }
                  />
                ))}
                {actions && (
                  <DataTable.Col
                    source={'actions' as never}
                    label={t('admin.list.actions')}
                    cellClassName={styles.last}
                    headerClassName={styles.last}
                    disableSort
                    align="right"
                    render={(row) => <RowActions name={nameOf(row as R)} actions={actions(row as R)} />}
                  />
                )}
              </DataTable>
            </RowNames>
          ) : (
            <Cards
              columns={grid ? columns : columns.filter((column) => !column.hidden)}
              nameOf={nameOf}
              actions={actions}
              selects={removal !== undefined}
            />
          )}
        </div>
      )}
      {!list.isPending && !list.error && <Pager />}
    </div>
  );
}
