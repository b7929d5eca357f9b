import { Trash2 } from 'lucide-react';
import { useListContext, type RaRecord } from 'react-admin';
import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import type { Named } from './useRemoval';

interface DeleteSelectedProps<R> {
  ids: readonly string[];
  nameOf: (row: R) => string;
  onDelete: (rows: Named[]) => void;
}

/** DeleteSelected is the button that deletes the selected rows of a list; rows of other pages go by their id. */
export function DeleteSelected<R extends RaRecord>({ ids, nameOf, onDelete }: DeleteSelectedProps<R>) {
  const t = useT();
  const { data = [] } = useListContext<R>();
  return (
    <Button
      variant="danger"
      icon={<Trash2 size={18} aria-hidden="true" />}
      onClick={() =>
        onDelete(
          ids.map((id) => {
            const row = data.find((one) => one.id === id);
            return { id, name: row ? nameOf(row) : id };
          }),
        )
      }
    >
      {t('admin.list.deleteMany', { count: ids.length })}
    </Button>
  );
}
