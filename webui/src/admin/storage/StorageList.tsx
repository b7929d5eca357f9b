import { Plug, Star } from 'lucide-react';
import { useState } from 'react';
import { useRefresh } from 'react-admin';
import { setDefaultConfig, testConfig, type Config } from '../../api/admin/storage';
import { ApiError } from '../../api/errors';
import { useLanguage, useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { statsQuery } from '../data/queries';
import { columnsOf } from '../form/fields';
import type { RowAction } from '../list/columns';
import { listLink } from '../list/listLink';
import { PanelList } from '../list/PanelList';
import { useAct } from '../useAct';
import { storageFields } from './fields';
import { StorageTest } from './StorageTest';

/** StorageList shows where files are kept (§7.8). */
export default function StorageList() {
  const t = useT();
  const language = useLanguage();
  const refresh = useRefresh();
  const [tested, setTested] = useState<Config>();
  const { act } = useAct();
  const { data: stats } = useReading(statsQuery);
  const used = (id: string) => stats?.s3Buckets.find((bucket) => bucket.id === id)?.usedStorage ?? 0;

  const fields = storageFields(t, language, { used });

  const makeDefault = (row: Config) =>
    act(() => setDefaultConfig(row.id).finally(refresh), t('admin.storage.madeDefault', { name: row.name }));

  const actions = (row: Config): RowAction[] => [
    { label: t('admin.storage.test'), icon: Plug, run: () => setTested(row), shown: true },
    ...(row.is_default
      ? []
      : [{ label: t('admin.storage.setDefault'), icon: Star, run: () => makeDefault(row) }]),
  ];

  return (
    <PanelList<Config>
      form
      words="admin.storage"
      columns={columnsOf(fields)}
      actions={actions}
      sort={{ field: 'name', order: 'ASC' }}
      exportName="storage-configs"
      grid
      removes={{
        wayOut: (id, error) =>
          error instanceof ApiError && error.code === 'in_use'
            ? { to: listLink('shares', { from: `storage ${id}` }), label: t('admin.storage.users') }
            : undefined,
      }}
    >
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
    </PanelList>
  );
}
