import { Pencil, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLanguage, type Translate } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Time } from '../../shared/ui';

/** A column of a list; cards show the same things one under the other. */
export interface Column<R> {
  /** source names it, is what the server sorts by, and where its value is unless it says otherwise. */
  source: string;
  label: string;
  /** as is how the value is shown: as it is, unless given. */
  as?: 'time' | 'size' | 'code';
  /** render shows something else. */
  render?: (row: R) => ReactNode;
  /** csv is what is exported in place of the value; nothing where it is false. */
  csv?: false | ((row: R) => string | number | null | undefined);
  sortable?: boolean;
  /** number columns stand at the right, so that their digits do. */
  number?: boolean;
  /** hidden columns are shown when they are chosen. */
  hidden?: boolean;
  /** roomy columns are shown on wide windows, and elsewhere when they are chosen. */
  roomy?: boolean;
  /** title makes it the heading of a card. */
  title?: boolean;
}

/** ResolvedColumn is a column that says what it shows and exports. */
export type ResolvedColumn<R> = Column<R> & Required<Pick<Column<R>, 'render' | 'csv'>>;

/** withDefaults fills in what a column shows and exports where it only names its value. */
export function withDefaults<R extends object>(column: Column<R>): ResolvedColumn<R> {
  const valueOf = (row: R) => row[column.source as keyof R] as string | number | null | undefined;
  const render = (row: R) => {
    const value = valueOf(row);
    // Cards leave out what is not there.
    return value === null || value === undefined || value === '' ? null : <Value as={column.as} of={value} />;
  };
  return { csv: valueOf, render, ...column };
}

interface ValueProps {
  as: Column<never>['as'];
  of: string | number;
}

function Value({ as, of }: ValueProps) {
  const language = useLanguage();
  if (as === 'time') return <Time value={String(of)} />;
  if (as === 'size') return formatSize(Number(of), language);
  return as === 'code' ? <code>{of}</code> : of;
}

/** An action on one row. */
export interface RowAction {
  label: string;
  icon: LucideIcon;
  /** run does it; what it fails with is said in passing. */
  run: () => unknown;
  /** shown stands beside the menu as a button of its own. */
  shown?: boolean;
  danger?: boolean;
}

/** editAction leads to the form of a row. */
export const editAction = (t: Translate, run: () => unknown): RowAction => ({
  label: t('admin.share.edit'),
  icon: Pencil,
  run,
  shown: true,
});
