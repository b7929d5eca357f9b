import { FolderOpen, FolderTree, Power } from 'lucide-react';
import { useRefresh } from 'react-admin';
import { deleteMount, readMount, updateMount, type Mount } from '../../api/admin/mounts';
import {} from '../../api/admin/storage';
import { errorText } from '../../api/errorText';
import { config } from '../../config';
import { useT, type Translate } from '../../i18n';
import { EmptyState, Time, toast } from '../../shared/ui';
import type { Column, RowAction } from '../list/columns';
import { CreateLink } from '../list/CreateLink';
import { Link, useNavigate } from '../router';

import { PanelList } from '../list/PanelList';
import { PanelPage } from '../list/PanelPage';
import { switchRow } from '../list/switchRow';
import { deleteAction, editAction } from '../list/usualActions';
import { BulkResult } from '../share/BulkResult';
import { Chip } from '../share/cells';
import { DeleteSelected } from '../share/DeleteSelected';
import styles from '../share/share.module.css';
import { configsQuery } from '../data/queries';
import { useReading } from '../../shared/query/useReading';
import { useRemoval } from '../share/useRemoval';

const resource = 'mount-management';
const form = `/admin/${resource}`;

function creatorOf(row: Mount, t: Translate): string {
  if (row.created_by === 'system' || row.created_by === '') return t('admin.words.system');
  return row.created_by.startsWith('apikey:') ? t('admin.keys.key') : t('admin.words.admin');
}

export function MountList() {
  const t = useT();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const { remove, outcome, closeOutcome } = useRemoval(resource, deleteMount, {
    one: (name) => t('admin.mounts.deleteTitle', { name }),
    many: (count) => t('admin.mounts.deleteManyTitle', count),
    body: t('admin.mounts.deleteBody'),
    done: (count) => t('admin.mounts.deleted', count),
  });
  const { data: configs = [] } = useReading(configsQuery);
  const nameOf = (id: string) => configs.find((entry) => entry.id === id)?.name ?? t('admin.words.unknown');

  const columns: Column<Mount>[] = [
    {
      source: 'name',
      label: t('admin.mounts.name'),
      title: true,
      sortable: true,
      csv: (row) => row.name,
      render: (row) => (
        <span className={styles.file}>
          <Link to={`${form}/${row.id}`}>{row.name}</Link>
          {row.is_active ? null : <Chip tone="warn">{t('admin.mounts.inactive')}</Chip>}
        </span>
      ),
    },
    {
      source: 'mount_path',
      label: t('admin.mounts.path'),
      sortable: true,
      csv: (row) => row.mount_path,
      render: (row) => <code>{row.mount_path}</code>,
    },
    {
      source: 'storage_config_id',
      label: t('admin.mounts.config'),
      csv: (row) => nameOf(row.storage_config_id),
      render: (row) => (
        <span>
          {nameOf(row.storage_config_id)} <small>({row.storage_type})</small>
        </span>
      ),
    },
    {
      source: 'remark',
      label: t('admin.mounts.remark'),
      csv: (row) => row.remark,
      render: (row) => (row.remark ? <span className={styles.clip}>{row.remark}</span> : ''),
    },
    {
      source: 'delivery',
      label: t('admin.mounts.delivery'),
      render: (row) =>
        row.web_proxy || row.enable_sign ? (
          <span className={styles.chips}>
            {row.web_proxy ? <Chip>{t('admin.mounts.proxied')}</Chip> : null}
            {row.enable_sign ? <Chip>{t('admin.mounts.signed')}</Chip> : null}
          </span>
        ) : (
          ''
        ),
    },
    {
      source: 'sort_order',
      label: t('admin.mounts.sortOrder'),
      sortable: true,
      hidden: true,
      csv: (row) => row.sort_order,
      render: (row) => row.sort_order,
    },
    {
      source: 'cache_ttl',
      label: t('admin.mounts.cacheTtl'),
      hidden: true,
      csv: (row) => row.cache_ttl,
      render: (row) => row.cache_ttl,
    },
    {
      source: 'created_at',
      label: t('admin.share.created'),
      sortable: true,
      csv: (row) => row.created_at,
      render: (row) => <Time value={row.created_at} />,
    },
    {
      source: 'created_by',
      label: t('admin.share.creator'),
      csv: (row) => creatorOf(row, t),
      render: (row) => creatorOf(row, t),
    },
  ];

  const toggle = async (row: Mount) => {
    try {
      const turned = await switchRow(row, { update: updateMount, read: readMount });
      if (!turned) toast.warning(t('admin.list.changedMeanwhile', { name: row.name }));
      refresh();
    } catch (error) {
      toast.error(errorText(error, t));
    }
  };

  const actions = (row: Mount): RowAction[] => [
    {
      label: t('admin.mounts.browse'),
      icon: <FolderOpen size={18} aria-hidden="true" />,
      run: () =>
        window.open(`${config.basePath}/mount-explorer${encodeURI(row.mount_path)}`, '_blank', 'noopener'),
      shown: true,
    },
    editAction(t, () => void navigate(`${form}/${row.id}`)),
    {
      label: t(row.is_active ? 'admin.mounts.turnOff' : 'admin.mounts.turnOn'),
      icon: <Power size={18} aria-hidden="true" />,
      run: () => void toggle(row),
    },
    deleteAction(t, () => remove([row])),
  ];

  return (
    <PanelPage
      title={t('admin.pages.mounts')}
      action={<CreateLink to={`${form}/create`} label={t('admin.mounts.create')} />}
    >
      <PanelList<Mount>
        columns={columns}
        nameOf={(row) => row.name}
        actions={actions}
        sort={{ field: 'sort_order', order: 'ASC' }}
        searchLabel={t('admin.mounts.search')}
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
        bulk={(ids) => <DeleteSelected<Mount> ids={ids} nameOf={(row) => row.name} onDelete={remove} />}
        empty={
          <EmptyState
            icon={<FolderTree size={24} />}
            title={t('admin.mounts.emptyTitle')}
            body={t('admin.mounts.emptyBody')}
            action={<CreateLink to={`${form}/create`} label={t('admin.mounts.create')} />}
          />
        }
      />
      {outcome && <BulkResult outcome={outcome} onClose={closeOutcome} />}
    </PanelPage>
  );
}
