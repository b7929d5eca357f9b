import type { ReactNode } from 'react';

/** A column of a list; cards show the same things one under the other. */
export interface Column<R> {
  /** source names it, and is what the server sorts by. */
  source: string;
  label: string;
  render: (row: R) => ReactNode;
  /** csv is its value in an export; what it shows is not exported where this is missing or false. */
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

/** An action on one row. */
export interface RowAction {
  label: string;
  icon: ReactNode;
  run: () => void;
  /** shown stands beside the menu as a button of its own. */
  shown?: boolean;
  danger?: boolean;
}
