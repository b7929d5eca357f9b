import { HardDrive, Plug, Star } from 'lucide-react';
import { useState } from 'react';
import { useRefresh } from 'react-admin';
import { setDefaultConfig, testConfig, type Config } from '../../api/admin/storage';
import { ApiError } from '../../api/errors';
import { errorText } from '../../api/errorText';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { EmptyState, Time, toast } from '../../shared/ui';
import type { Column, RowAction } from '../list/columns';
import { CreateLink } from '../list/CreateLink';
import { Link, useNavigate } from '../router';

import { PanelList } from '../list/PanelList';
import { PanelPage } from '../list/PanelPage';
import { deleteAction, editAction } from '../list/usualActions';
import { BulkResult } from '../share/BulkResult';
import { Chip } from '../share/cells';
import { DeleteSelected } from '../share/DeleteSelected';
import { Meter } from '../../shared/meter/Meter';
import styles from '../share/share.module.css';
import { levelOf, percentOf } from '../../shared/meter/level';
import { statsQuery } from '../data/queries';
import { useReading } from '../../shared/query/useReading';
import { useRemoval } from '../share/useRemoval';
import { StorageTest } from './StorageTest';

const form = '/admin/storage-config';

export function StorageList() {
  const t = useT();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [tested, setTested] = useState<Config>();
  const { remove, outcome, closeOutcome } = useRemoval({
    one: (name) => t('admin.storage.deleteTitle', { name }),
    many: (count) => t('admin.storage.deleteManyTitle', count),
    body: t('admin.storage.deleteBody'),
    done: (count) => t('admin.storage.deleted', count),
    wayOut: (id, error) =>
      error instanceof ApiError && error.code === 'in_use'
        ? { to: `/admin/shares?from=${encodeURIComponent(`storage ${id}`)}`, label: t('admin.storage.users') }
        : undefined,
  });
  const { data: stats } = useReading(statsQuery);
  const used = (id: string) => stats?.s3Buckets.find((bucket) => bucket.id === id)?.usedStorage ?? 0;

  const columns: Column<Config>[] = [
    {
      source: 'name',
      label: t('admin.storage.name'),
      title: true,
      sortable: true,
      csv: (row) => row.name,
      render: (row) => (
        <span className={styles.file}>
          <Link to={`${form}/${row.id}`}>{row.name}</Link>
          {row.is_default ? <Chip tone="ok">{t('admin.storage.isDefault')}</Chip> : null}
        </span>
      ),
    },
    {
      source: 'provider_type',
      label: t('admin.storage.provider'),
      sortable: true,
      csv: (row) => row.provider_type,
      render: (row) => row.provider_type,
    },
    {
      source: 'bucket_name',
      label: t('admin.storage.bucket'),
      sortable: true,
      csv: (row) => row.bucket_name,
      render: (row) => (row.bucket_name ? <code>{row.bucket_name}</code> : ''),
    },
    {
      source: 'region',
      label: t('admin.storage.region'),
      csv: (row) => row.region,
      render: (row) => row.region,
    },
    {
      source: 'default_folder',
      label: t('admin.storage.folder'),
      csv: (row) => row.default_folder,
      render: (row) => (row.default_folder ? <code>{row.default_folder}</code> : ''),
    },
    {
      source: 'path_style',
      label: t('admin.storage.pathStyle'),
      csv: (row) => (row.storage_type === 'S3' ? row.path_style : ''),
      render: (row) =>
        row.storage_type === 'S3' ? t(row.path_style ? 'admin.words.on' : 'admin.words.off') : '',
    },
    {
      source: 'is_public',
      label: t('admin.storage.public'),
      sortable: true,
      csv: (row) => row.is_public,
      render: (row) => t(row.is_public ? 'admin.words.yes' : 'admin.words.no'),
    },
    {
      source: 'total_storage_bytes',
      label: t('admin.storage.space'),
      sortable: true,
      csv: (row) => row.total_storage_bytes,
      render: (row) => <Capacity used={used(row.id)} limit={row.total_storage_bytes} />,
    },
    {
      source: 'health',
      label: t('admin.storage.health'),
      csv: (row) => row.health?.state,
      render: (row) => <Health row={row} />,
    },
    {
      source: 'tested',
      label: t('admin.storage.lastTest'),
      csv: (row) => row.tested && t(`admin.storage.verdict.${row.tested.verdict}`),
      render: (row) => <LastTest row={row} />,
    },
    {
      source: 'last_used',
      label: t('admin.storage.used'),
      sortable: true,
      csv: (row) => row.last_used,
      render: (row) => (row.last_used ? <Time value={row.last_used} relative /> : t('admin.words.never')),
    },
    {
      source: 'created_at',
      label: t('admin.share.created'),
      sortable: true,
      csv: (row) => row.created_at,
      render: (row) => <Time value={row.created_at} />,
    },
  ];

  const makeDefault = async (row: Config) => {
    try {
      await setDefaultConfig(row.id);
      toast.success(t('admin.storage.madeDefault', { name: row.name }));
      refresh();
    } catch (error) {
      toast.error(errorText(error, t));
    }
  };

  const actions = (row: Config): RowAction[] => [
    {
      label: t('admin.storage.test'),
      icon: <Plug size={18} aria-hidden="true" />,
      run: () => setTested(row),
      shown: true,
    },
    editAction(t, () => void navigate(`${form}/${row.id}`)),
    ...(row.is_default
      ? []
      : [
          {
            label: t('admin.storage.setDefault'),
            icon: <Star size={18} aria-hidden="true" />,
            run: () => void makeDefault(row),
          },
        ]),
    deleteAction(t, () => remove([row])),
  ];

  return (
    <PanelPage
      title={t('admin.pages.storage')}
      action={<CreateLink to={`${form}/create`} label={t('admin.storage.create')} />}
    >
      <PanelList<Config>
        columns={columns}
        nameOf={(row) => row.name}
        actions={actions}
        sort={{ field: 'name', order: 'ASC' }}
        searchLabel={t('admin.storage.search')}
        exportName="storage-configs"
        grid
        bulk={(ids) => <DeleteSelected<Config> ids={ids} nameOf={(row) => row.name} onDelete={remove} />}
        empty={
          <EmptyState
            icon={<HardDrive size={24} />}
            title={t('admin.storage.emptyTitle')}
            body={t('admin.storage.emptyBody')}
            action={<CreateLink to={`${form}/create`} label={t('admin.storage.create')} />}
          />
        }
      />
      {tested && (
        <StorageTest
          name={tested.name}
          run={(signal) => testConfig(tested.id, signal)}
          {...(tested.storage_type === 'S3' && { corsId: tested.id })}
          onClose={() => {
            setTested(undefined);
            refresh();
          }}
        />
      )}
      {outcome && <BulkResult outcome={outcome} onClose={closeOutcome} />}
    </PanelPage>
  );
}

/** Capacity says how much of a storage is used, of how much where it has a limit. */
function Capacity({ used, limit }: { used: number; limit: number }) {
  const t = useT();
  const language = useLanguage();
  const percent = percentOf(used, limit);
  if (percent === undefined) return t('admin.dashboard.usage.used', { used: formatSize(used, language) });
  const level = levelOf(percent);
  return (
    <>
      {t('admin.dashboard.usage.of', {
        used: formatSize(used, language),
        total: formatSize(limit, language),
      })}
      {level !== 'fine' && ` (${t(`admin.dashboard.usage.${level}`)})`}
      <Meter percent={percent} label={t('admin.storage.space')} />
    </>
  );
}

/** LastTest says how the last test ended, and when. */
function LastTest({ row: { tested } }: { row: Config }) {
  const t = useT();
  if (!tested) return t('admin.storage.healthStates.unknown');
  const tone = { full: 'ok', partial: 'warn', unusable: 'danger' } as const;
  return (
    <span className={styles.chips}>
      <Chip tone={tone[tested.verdict]}>{t(`admin.storage.verdict.${tested.verdict}`)}</Chip>
      <Time value={tested.at} relative />
    </span>
  );
}

function Health({ row }: { row: Config }) {
  const t = useT();
  const state = row.health?.state ?? 'unknown';
  const tone = { ok: 'ok', unknown: undefined, refused: 'danger', down: 'danger' } as const;
  return (
    <span title={row.health?.message}>
      <Chip {...(tone[state] && { tone: tone[state] })}>{t(`admin.storage.healthStates.${state}`)}</Chip>
    </span>
  );
}
