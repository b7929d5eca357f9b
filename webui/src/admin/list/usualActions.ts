import { Pencil, Trash2 } from 'lucide-react';
import type { Translate } from '../../i18n';
import type { RowAction } from './columns';

/** editAction and deleteAction are what every list offers for its rows. */
export const editAction = (t: Translate, run: () => unknown): RowAction => ({
  label: t('admin.share.edit'),
  icon: Pencil,
  run,
  shown: true,
});

export const deleteAction = (t: Translate, run: () => unknown): RowAction => ({
  label: t('admin.share.delete'),
  icon: Trash2,
  run,
  danger: true,
});
