import { FolderOpen, Power } from 'lucide-react';
import type { Mount } from '../../api/admin/mounts';
import { config } from '../../config';
import { useT } from '../../i18n';
import { useConfigs } from '../data/records';
import { columnsOf } from '../form/fields';
import type { RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { useSwitchRow } from '../list/useSwitchRow';
import { mountFields } from './fields';

/** MountList shows where storages appear in the tree of folders (§7.7). */
export default function MountList() {
  const t = useT();
  const fields = mountFields(t, useConfigs().data ?? []);
  const turn = useSwitchRow();

  const actions = (row: Mount): RowAction[] => [
    {
      label: t('admin.mounts.browse'),
      icon: FolderOpen,
      run: () =>
        window.open(`${config.basePath}/mount-explorer${encodeURI(row.mount_path)}`, '_blank', 'noopener'),
      shown: true,
    },
    {
      label: t(row.is_active ? 'admin.mounts.turnOff' : 'admin.mounts.turnOn'),
      icon: Power,
      run: () => void turn(row),
    },
  ];

  return (
    <PanelList<Mount>
      form
      words="admin.mounts"
      columns={columnsOf(fields)}
      actions={actions}
      sort={{ field: 'sort_order', order: 'ASC' }}
      exportName="mounts"
      filters={[
        {
          name: 'state',
          label: t('admin.share.state'),
          choices: [
            { value: 'active', label: t('admin.mounts.active') },
            { value: 'inactive', label: t('admin.mounts.inactive') },
          ],
        },
      ]}
      removes
    />
  );
}
