import type { ReactNode } from 'react';
import { useListContext } from 'react-admin';
import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import styles from './list.module.css';

/** Selection says how many rows are selected and what can be done with them. */
export function Selection({ bulk }: { bulk: (ids: readonly string[]) => ReactNode }) {
  const t = useT();
  const { selectedIds, onSelect, onUnselectItems, data = [] } = useListContext();
  if (selectedIds.length === 0) return null;
  const ids = selectedIds.map(String);
  const whole = data.every((row) => ids.includes(String(row.id)));
  return (
    <div className={styles.selection} role="group" aria-label={t('admin.list.selected', ids.length)}>
      <strong role="status">{t('admin.list.selected', ids.length)}</strong>
      {bulk(ids)}
      {!whole && (
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
