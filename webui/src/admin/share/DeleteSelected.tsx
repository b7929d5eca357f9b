import { Trash2 } from 'lucide-react';
import { useListContext } from 'react-admin';
import { useT } from '../../i18n';
import { Button } from '../../shared/ui';
import type { Named } from './useRemoval';

interface DeleteSelectedProps {
  ids: readonly string[];
  onDelete: (rows: Named[]) => void;
}

/** DeleteSelected is the button that deletes the selected rows of a list; rows of other pages go by their id. */
export function DeleteSelected({ ids, onDelete }: DeleteSelectedProps) {
  const t = useT();
  const { data = [] } = useListContext<Named>();
  return (
    <Button
      variant="danger"
      icon={<Trash2 size={18} aria-hidden="true" />}
      onClick={() => onDelete(ids.map((id) => ({ id, name: data.find((row) => row.id === id)?.name ?? id })))}
    >
      {t('admin.list.deleteMany', { count: ids.length })}
    </Button>
  );
}
