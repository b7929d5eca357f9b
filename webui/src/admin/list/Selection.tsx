import { useListContext, type RaRecord } from 'react-admin';
import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import { useAct } from '../useAct';
import type { Removal } from '../share/useRemoval';
import styles from './list.module.css';

interface SelectionProps<R> {
  nameOf: (row: R) => string;
  removal: Removal<R>;
}

/** Selection says how many rows are selected, and deletes them, or whatever the list calls it. */
export function Selection<R extends RaRecord>({ nameOf, removal }: SelectionProps<R>) {
  const t = useT();
  const { act } = useAct();
  const { selectedIds, onSelect, onUnselectItems, data = [] } = useListContext<R>();
  if (selectedIds.length === 0) return null;
  const chosen = selectedIds.map(String).map((id) => {
    const row = data.find((one) => String(one.id) === id);
    return { id, name: row ? nameOf(row) : id, row };
  });
  const allSelected = data.every((row) => selectedIds.includes(row.id));
  return (
    <div className={styles.selection} role="group" aria-label={t('admin.list.selected', chosen.length)}>
      <strong role="status">{t('admin.list.selected', chosen.length)}</strong>
      <Button
        variant="danger"
        icon={<removal.icon size={18} />}
        onClick={() => act(() => removal.remove(chosen))}
      >
        {t('admin.list.doMany', { what: removal.verb, count: chosen.length })}
      </Button>
      {!allSelected && (
        <Button
          variant="quiet"
          onClick={() => onSelect([...new Set([...selectedIds, ...data.map((row) => row.id)])])}
        >
          {t('admin.list.selectPage')}
        </Button>
      )}
      <Button variant="quiet" onClick={() => onUnselectItems()}>
        {t('admin.list.unselect')}
      </Button>
    </div>
  );
}
