import { useListContext, type RaRecord } from 'react-admin';
import { useT } from '../../i18n';
import type { RowAction, ResolvedColumn } from './columns';
import styles from './list.module.css';
import { RowActions } from './RowActions';
import { Facts } from '../share/Facts';

interface CardsProps<R extends RaRecord> {
  columns: readonly ResolvedColumn<R>[];
  nameOf: (row: R) => string;
  actions?: ((row: R) => readonly RowAction[]) | undefined;
  /** selects has every card offer to be selected. */
  selects: boolean;
}

/** Cards shows the rows of a list one under the other, or side by side in a grid: what the table has, with the same actions. */
export function Cards<R extends RaRecord>({ columns, nameOf, actions, selects }: CardsProps<R>) {
  const t = useT();
  const { data = [], selectedIds, onToggleItem } = useListContext<R>();
  const title = columns.find((column) => column.title);
  const facts = columns.filter((column) => column !== title);
  return (
    <ul className={styles.cards}>
      {data.map((row) => (
        <li key={row.id} className={styles.card}>
          <div className={styles.cardHead}>
            {selects && (
              <label className={styles.tick}>
                <input
                  type="checkbox"
                  aria-label={t('admin.list.select', { name: nameOf(row) })}
                  checked={selectedIds.includes(row.id)}
                  onChange={() => onToggleItem(row.id)}
                />
              </label>
            )}
            <div className={styles.cardTitle}>{title?.render(row)}</div>
            {actions && <RowActions name={nameOf(row)} actions={actions(row)} />}
          </div>
          <Facts className={styles.facts} of={facts.map((column) => [column.label, column.render(row)])} />
        </li>
      ))}
    </ul>
  );
}
